/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* press(path, text) -> number: write a sealed line, alone on the register. */
static PyObject *press(PyObject *module, PyObject *args)
{
    const char *path, *text;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "ss#", &path, &text, &length))
        return NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    if (flock(fd, LOCK_EX) < 0) {
        close(fd);
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    unsigned long seal = 5381;
    for (Py_ssize_t n = 0; n < length; n++)
        seal = seal * 33 + (unsigned char)text[n];
    dprintf(fd, "%08lx %s\n", seal & 0xffffffff, text);
    close(fd);
    return PyLong_FromUnsignedLong(seal & 0xffffffff);
}

static PyMethodDef methods[] = {{"press", press, METH_VARARGS, "Seal a line."}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sealpress", NULL, -1, methods};

PyMODINIT_FUNC PyInit_sealpress(void) { return PyModule_Create(&module); }
