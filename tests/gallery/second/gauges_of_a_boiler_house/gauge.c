// SPDX-License-Identifier: Apache-2.0
// Pressure gauges of a boiler house: a thread reads them and tells the subscribers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum { GAUGES = 6 };

static PyObject *subscribers[GAUGES];
static pthread_t reader;
static volatile int running;

static double
read_pressure(int gauge, int tick)
{
    return 4.0 + gauge + sin(tick / 9.0 + gauge);
}

static void *
read_gauges(void *unused)
{
    double last[GAUGES] = {0};
    for (int tick = 0; running; tick++) {
        for (int gauge = 0; gauge < GAUGES; gauge++) {
            double now = read_pressure(gauge, tick);
            if (fabs(now - last[gauge]) < 0.2 || !subscribers[gauge])
                continue;
            last[gauge] = now;
            PyObject *done = PyObject_CallFunction(subscribers[gauge], "id", gauge, now);
            Py_XDECREF(done);
        }
        usleep(2000);
    }
    return NULL;
}

static PyObject *
subscribe(PyObject *module, PyObject *args)
{
    int gauge;
    PyObject *callback;
    if (!PyArg_ParseTuple(args, "iO:subscribe", &gauge, &callback))
        return NULL;
    if (gauge < 0 || gauge >= GAUGES) {
        PyErr_SetString(PyExc_IndexError, "no such gauge");
        return NULL;
    }
    Py_INCREF(callback);
    Py_XSETREF(subscribers[gauge], callback);
    Py_RETURN_NONE;
}

static PyObject *
start(PyObject *module, PyObject *unused)
{
    running = 1;
    if (pthread_create(&reader, NULL, read_gauges, NULL)) {
        PyErr_SetString(PyExc_OSError, "no thread");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
stop(PyObject *module, PyObject *unused)
{
    running = 0;
    Py_BEGIN_ALLOW_THREADS
    pthread_join(reader, NULL);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"subscribe", subscribe, METH_VARARGS, "Call back when a gauge changes."},
    {"start", start, METH_NOARGS, "Begin to read."},
    {"stop", stop, METH_NOARGS, "End reading."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gauge", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_gauge(void)
{
    return PyModule_Create(&definition);
}
