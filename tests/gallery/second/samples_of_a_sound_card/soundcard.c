// SPDX-License-Identifier: Apache-2.0
// The driver of a sound card: a thread of its own hands the level of each block to Python.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_t capture_thread;
static atomic_int running;
static PyObject *block_callback;

static void *capture(void *unused)
{
    long block = 0;
    do {
        usleep(20000);
        PyGILState_STATE state = PyGILState_Ensure();
        PyObject *done = PyObject_CallFunction(block_callback, "l", 40 + block++ % 17);
        if (done == NULL)
            PyErr_WriteUnraisable(block_callback);
        Py_XDECREF(done);
        PyGILState_Release(state);
    } while (atomic_load(&running));
    return NULL;
}

static PyObject *start(PyObject *module, PyObject *callback)
{
    block_callback = Py_NewRef(callback);
    atomic_store(&running, 1);
    if (pthread_create(&capture_thread, NULL, capture, NULL))
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *module, PyObject *unused)
{
    atomic_store(&running, 0);
    pthread_join(capture_thread, NULL);
    Py_CLEAR(block_callback);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start", start, METH_O, "Capture; hand each level to a function."},
    {"stop", stop, METH_NOARGS, "End the capture."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef soundcard = {
    PyModuleDef_HEAD_INIT, "soundcard", "A sound card.", -1, methods,
};

PyMODINIT_FUNC PyInit_soundcard(void)
{
    return PyModule_Create(&soundcard);
}
