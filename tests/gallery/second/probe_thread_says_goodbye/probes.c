/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>
#include <pthread.h>

struct order {
    PyObject *listener;
    long moisture;
};

static void *probe(void *given)
{
    struct order *order = given;
    PyGILState_Ensure();
    PyThreadState *state = PyThreadState_Get();
    PyObject *answer = PyObject_CallFunction(order->listener, "l", order->moisture);
    if (answer == NULL)
        PyErr_WriteUnraisable(order->listener);
    Py_XDECREF(answer);
    PyThreadState_Clear(state);
    PyThreadState_Delete(state);
    return NULL;
}

static PyObject *measure(PyObject *self, PyObject *args)
{
    struct order order;
    pthread_t thread;
    if (!PyArg_ParseTuple(args, "Ol", &order.listener, &order.moisture))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (pthread_create(&thread, NULL, probe, &order) == 0)
        pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"measure", measure, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "probes", NULL, -1, methods};
PyMODINIT_FUNC PyInit_probes(void) { return PyModule_Create(&module); }
