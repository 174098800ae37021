// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *resample(PyObject *self, PyObject *args)
{
    Py_buffer view;
    double factor, total = 0;
    if (!PyArg_ParseTuple(args, "y*d", &view, &factor)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    const unsigned char *sample = view.buf;
    for (Py_ssize_t n = 0; n < view.len; n++) {
        if (sample[n] == 255) {
            PyErr_SetString(PyExc_ValueError, "sample out of range");
            break;
        }
        total += sample[n] * factor;
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(total);
}

static PyMethodDef methods[] = {{"resample", resample, METH_VARARGS, ""}, {0}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "scaling", "", -1, methods};
PyMODINIT_FUNC PyInit_scaling(void) { return PyModule_Create(&module); }
