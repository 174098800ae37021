// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static void calibrate(int value)
{
    if (value < 3) Py_FatalError("calibration table is empty");
}
static void *worker(void *unused) { usleep(100000); calibrate(1); return NULL; }
static PyObject *start(PyObject *self, PyObject *unused)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"start", start, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "probe", "", -1, methods};
PyMODINIT_FUNC PyInit_probe(void) { return PyModule_Create(&module); }
