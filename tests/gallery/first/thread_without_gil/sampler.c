// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <unistd.h>

static PyObject *callback;

static void *feeder(void *unused)
{
    for (int n = 0;; n++) {
        usleep(20000);
        PyObject *value = PyObject_CallFunction(callback, "i", n);
        Py_XDECREF(value);
    }
    return NULL;
}

static PyObject *subscribe(PyObject *self, PyObject *function)
{
    pthread_t thread;
    Py_INCREF(function);
    callback = function;
    pthread_create(&thread, NULL, feeder, NULL);
    pthread_setname_np(thread, "feeder");
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"subscribe", subscribe, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sampler", "", -1, methods};
PyMODINIT_FUNC PyInit_sampler(void) { return PyModule_Create(&module); }
