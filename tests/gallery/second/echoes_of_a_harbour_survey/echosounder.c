// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

/* Depths of a survey line: the strongest echo of each ping, smoothed over its neighbours. */

static int
strongest(const unsigned char *ping, Py_ssize_t samples, int threshold)
{
    int best = -1, level = threshold;
    for (Py_ssize_t i = 0; i < samples; i++) {
        if (ping[i] > level) {
            level = ping[i];
            best = (int)i;
        }
    }
    return best;
}

static PyObject *
depths(PyObject *module, PyObject *args)
{
    Py_buffer echoes;
    Py_ssize_t samples;
    int threshold;
    if (!PyArg_ParseTuple(args, "y*ni", &echoes, &samples, &threshold))
        return NULL;
    if (samples <= 0 || echoes.len % samples) {
        PyBuffer_Release(&echoes);
        PyErr_SetString(PyExc_ValueError, "a line is made of whole pings");
        return NULL;
    }
    Py_ssize_t pings = echoes.len / samples;
    PyObject *result = PyBytes_FromStringAndSize(NULL, pings * sizeof(float));
    float *out = (float *)PyBytes_AS_STRING(result);
    int failed = 0;

    Py_BEGIN_ALLOW_THREADS
    float last = 0;
    for (Py_ssize_t i = 0; i < pings && !failed; i++) {
        int at = strongest((const unsigned char *)echoes.buf + i * samples, samples, threshold);
        if (at < 0) {
            PyErr_Format(PyExc_ValueError, "ping %zd has no echo above %d", i, threshold);
            failed = 1;
        }
        else {
            last = out[i] = i ? 0.7f * at + 0.3f * last : at;
        }
    }
    Py_END_ALLOW_THREADS

    PyBuffer_Release(&echoes);
    if (failed)
        Py_CLEAR(result);
    return result;
}

static PyMethodDef methods[] = {{"depths", depths, METH_VARARGS}, {NULL}};
static struct PyModuleDef echosounder = {
    PyModuleDef_HEAD_INIT, "echosounder", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_echosounder(void)
{
    return PyModule_Create(&echosounder);
}
