// SPDX-License-Identifier: Apache-2.0
// Power spectra of light curves that are not evenly sampled.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

static double
power(const double *time, const double *light, Py_ssize_t count, double frequency)
{
    double sine = 0, cosine = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        double angle = 2 * M_PI * frequency * time[i];
        sine += light[i] * sin(angle);
        cosine += light[i] * cos(angle);
    }
    return (sine * sine + cosine * cosine) / count;
}

static PyObject *
strongest(PyObject *module, PyObject *args)
{
    Py_buffer time, light;
    double low, high, best = 0, found = 0;
    int steps;

    if (!PyArg_ParseTuple(args, "y*y*ddi:strongest", &time, &light, &low, &high, &steps))
        return NULL;
    Py_ssize_t count = time.len / sizeof(double);
    Py_BEGIN_ALLOW_THREADS
    for (int step = 0; step < steps; step++) {
        double frequency = low + (high - low) * step / steps;
        double value = power(time.buf, light.buf, count, frequency);
        if (value > best) {
            best = value;
            found = frequency;
        }
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&time);
    PyBuffer_Release(&light);
    return Py_BuildValue("dd", found, best);
}

static PyMethodDef methods[] = {
    {"strongest", strongest, METH_VARARGS, "The strongest frequency and its power."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "spectra", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_spectra(void)
{
    return PyModule_Create(&definition);
}
