// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <unistd.h>

static volatile int waits;

/* Wait for the trigger, then sum the newest frame, with other threads running. */
static PyObject *after_trigger(PyObject *self, PyObject *args)
{
    PyObject *frames;
    int trigger;
    if (!PyArg_ParseTuple(args, "iO!", &trigger, &PyList_Type, &frames))
        return NULL;
    PyObject *frame = PyList_GetItem(frames, 0);
    if (frame == NULL || !PyBytes_Check(frame)) {
        PyErr_SetString(PyExc_TypeError, "no frame");
        return NULL;
    }
    const unsigned char *pixel = (const unsigned char *)PyBytes_AS_STRING(frame);
    Py_ssize_t count = PyBytes_GET_SIZE(frame);
    unsigned long sum = 0;
    char mark;
    Py_BEGIN_ALLOW_THREADS
    waits = 1;
    while (read(trigger, &mark, 1) < 0)
        ;
    for (Py_ssize_t i = 0; i < count; i++)
        sum += pixel[i];
    Py_END_ALLOW_THREADS
    return PyLong_FromUnsignedLong(sum);
}

static PyObject *waiting(PyObject *self, PyObject *unused)
{
    return PyBool_FromLong(waits);
}

static PyMethodDef methods[] = {
    {"after_trigger", after_trigger, METH_VARARGS, "Sum the newest frame."},
    {"waiting", waiting, METH_NOARGS, "Whether a measurement waits for its trigger."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "brightness", NULL, -1, methods};

PyMODINIT_FUNC PyInit_brightness(void)
{
    return PyModule_Create(&module);
}
