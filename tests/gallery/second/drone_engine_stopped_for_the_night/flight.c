/* The engine of the drone: a thread that hands each frame to a Python callback. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_t engine;
static sem_t shutter;
static volatile int stopping;
static PyObject *frame_callback;

static void deliver_frame(int number)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *done = PyObject_CallFunction(frame_callback, "id", number, 0.5 + number * 0.01);
    if (done == NULL)
        PyErr_WriteUnraisable(frame_callback);
    Py_XDECREF(done);
    PyGILState_Release(state);
}

static void *engine_main(void *unused)
{
    int number = 0;
    for (;;) {
        sem_wait(&shutter);
        int last = stopping;
        deliver_frame(number++);
        if (last)
            return NULL;
    }
}

static PyObject *start(PyObject *self, PyObject *callback)
{
    Py_INCREF(callback);
    frame_callback = callback;
    sem_init(&shutter, 0, 0);
    if (pthread_create(&engine, NULL, engine_main, NULL))
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}

static PyObject *trigger(PyObject *self, PyObject *unused)
{
    sem_post(&shutter);
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *self, PyObject *unused)
{
    stopping = 1;
    sem_post(&shutter);
    pthread_join(engine, NULL);
    Py_CLEAR(frame_callback);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start", start, METH_O, NULL},
    {"trigger", trigger, METH_NOARGS, NULL},
    {"stop", stop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "flight", NULL, -1, methods};

PyMODINIT_FUNC PyInit_flight(void)
{
    return PyModule_Create(&module);
}
