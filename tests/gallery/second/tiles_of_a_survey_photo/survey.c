// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static unsigned char *canvas;
static PyObject *survey_fill(PyObject *self, PyObject *args)
{
    Py_ssize_t columns, rows;
    unsigned long sum = 0;
    if (!PyArg_ParseTuple(args, "nn", &columns, &rows))
        return NULL;
    free(canvas);
    posix_memalign((void **)&canvas, 64, columns * rows * 4);
    for (Py_ssize_t n = 0; n < columns * rows * 4; n++)
        canvas[n] = (unsigned char)(n * 7);
    for (Py_ssize_t n = 0; n < columns * rows * 4; n += 997)
        sum += canvas[n];
    return PyLong_FromUnsignedLong(sum);
}
static PyMethodDef methods[] = {{"fill", survey_fill, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "survey", "", -1, methods};
PyMODINIT_FUNC PyInit_survey(void) { return PyModule_Create(&module); }
