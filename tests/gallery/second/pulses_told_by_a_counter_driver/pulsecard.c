// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <pthread.h>
#include <time.h>

static PyObject *listener;
static pthread_t reader;
static long pulses;

static void *read_card(void *unused)
{
    struct timespec pause = {0, 60000000};
    for (;;) {
        nanosleep(&pause, NULL);
        pulses += 16;
        PyObject *count = PyLong_FromLong(pulses);
        PyObject *answer = PyObject_CallFunctionObjArgs(listener, count, NULL);
        Py_XDECREF(answer);
        Py_DECREF(count);
    }
    return NULL;
}

static PyObject *start(PyObject *module, PyObject *callback)
{
    Py_INCREF(callback);
    Py_XSETREF(listener, callback);
    if (pthread_create(&reader, NULL, read_card, NULL))
        return PyErr_Format(PyExc_OSError, "no thread for the card");
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"start", start, METH_O}, {NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "pulsecard", NULL, -1, methods};

PyMODINIT_FUNC PyInit_pulsecard(void) { return PyModule_Create(&definition); }
