// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <unistd.h>
struct job { const unsigned char *bytes; long count; unsigned long sum; };
static int __attribute__((noinline)) await_crane(struct job *job)
{
    char word[64];
    FILE *file = fopen("ready", "w");
    fprintf(file, "{\"pid\": %d, \"memory\": [[%lu, 37]]}\n", getpid(), (unsigned long)&job->count);
    fclose(file);
    return (int)read(0, word, sizeof word);
}
static unsigned long __attribute__((noinline)) add_up(struct job *job)
{
    for (long n = 0; n < job->count; n++)
        job->sum = job->sum * 31 + job->bytes[n];
    return job->sum;
}
static PyObject *seals_check(PyObject *self, PyObject *args)
{
    const char *bytes;
    Py_ssize_t size;
    int waits;
    if (!PyArg_ParseTuple(args, "y#p", &bytes, &size, &waits))
        return NULL;
    struct job job = {(const unsigned char *)bytes, (long)size, 17};
    if (waits && await_crane(&job) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    return PyLong_FromUnsignedLong(add_up(&job));
}
static PyMethodDef methods[] = {{"check", seals_check, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "seals", "", -1, methods};
PyMODINIT_FUNC PyInit_seals(void) { return PyModule_Create(&module); }
