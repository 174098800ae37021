// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t channel_mutex = PTHREAD_MUTEX_INITIALIZER;
static double last_level;

static double gain_at(PyObject *fade, long position)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *gain = PyObject_CallFunction(fade, "l", position);
    double value = gain ? PyFloat_AsDouble(gain) : 0.0;
    Py_XDECREF(gain);
    PyErr_Clear();
    PyGILState_Release(state);
    return value;
}

static void render_block(PyObject *fade, long frames)
{
    pthread_mutex_lock(&channel_mutex);
    for (long i = 0; i < frames; i++) {
        usleep(2000);
        if (i % 120 == 119)
            last_level = gain_at(fade, i);
    }
    pthread_mutex_unlock(&channel_mutex);
}

static PyObject *console_render(PyObject *self, PyObject *args)
{
    long frames;
    PyObject *fade;
    if (!PyArg_ParseTuple(args, "lO", &frames, &fade))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    render_block(fade, frames);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *console_level(PyObject *self, PyObject *args)
{
    pthread_mutex_lock(&channel_mutex);
    double level = last_level;
    pthread_mutex_unlock(&channel_mutex);
    return PyFloat_FromDouble(level);
}

static PyMethodDef methods[] = {
    {"render", console_render, METH_VARARGS, "Render frames with a fade."},
    {"level", console_level, METH_NOARGS, "The level of the last block."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "console", NULL, -1, methods};

PyMODINIT_FUNC PyInit_console(void)
{
    return PyModule_Create(&module);
}
