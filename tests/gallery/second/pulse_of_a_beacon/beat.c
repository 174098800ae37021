// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <signal.h>
#include <sys/time.h>

static PyObject *listener;

static void on_beat(int number)
{
    PyObject *answer = PyObject_CallFunction(listener, NULL);
    Py_XDECREF(answer);
}

static PyObject *every(PyObject *module, PyObject *arguments)
{
    double seconds;
    PyObject *callable;
    if (!PyArg_ParseTuple(arguments, "dO", &seconds, &callable))
        return NULL;
    Py_INCREF(callable);
    Py_XSETREF(listener, callable);
    struct sigaction action = {.sa_handler = on_beat, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval period = {0};
    period.it_interval.tv_usec = period.it_value.tv_usec = (long)(seconds * 1e6);
    setitimer(ITIMER_REAL, &period, NULL);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"every", every, METH_VARARGS, "Call a function again and again."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "beat", NULL, -1, methods};

PyMODINIT_FUNC PyInit_beat(void)
{
    return PyModule_Create(&definition);
}
