// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <unistd.h>
static int __attribute__((noinline)) await_console(void)
{
    char line[64];
    FILE *file = fopen("ready", "w");
    fprintf(file, "{\"pid\": %d, \"memory\": [[%lu, 39]]}\n", getpid(), (unsigned long)__builtin_frame_address(0));
    fclose(file);
    return (int)read(0, line, sizeof line);
}
static PyObject *mixer_mix(PyObject *self, PyObject *args)
{
    PyObject *channels;
    int live;
    volatile long levels[16] = {0};
    if (!PyArg_ParseTuple(args, "O!i", &PyList_Type, &channels, &live))
        return NULL;
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(channels) && n < 16; n++) {
        const unsigned char *bytes = (const unsigned char *)PyBytes_AS_STRING(PyList_GET_ITEM(channels, n));
        for (int at = 0; at < 4096; at++)
            levels[n] += bytes[at];
        if (live && n == 5 && await_console() < 0)
            return PyErr_SetFromErrno(PyExc_OSError);
    }
    long sum = 0;
    for (int n = 0; n < 16; n++)
        sum += levels[n];
    return PyLong_FromLong(sum);
}
static PyMethodDef methods[] = {{"mix", mixer_mix, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "mixer", "", -1, methods};
PyMODINIT_FUNC PyInit_mixer(void) { return PyModule_Create(&module); }
