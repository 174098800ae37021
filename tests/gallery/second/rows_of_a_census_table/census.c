// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define YOUNGEST 15
#define STEP 5
#define COLUMNS 8

/* Each group of ages has a row of COLUMNS counts. */
static long *row_of(Py_buffer *table, int age)
{
    int group = (age - YOUNGEST) / STEP;
    return (long *)table->buf + (long)group * COLUMNS;
}

static PyObject *restart_row(PyObject *module, PyObject *args)
{
    Py_buffer table;
    int age;
    if (!PyArg_ParseTuple(args, "w*i", &table, &age))
        return NULL;
    memset(row_of(&table, age), 0, COLUMNS * sizeof(long));
    PyBuffer_Release(&table);
    Py_RETURN_NONE;
}

static PyObject *count_person(PyObject *module, PyObject *args)
{
    Py_buffer table;
    int age, column;
    if (!PyArg_ParseTuple(args, "w*ii", &table, &age, &column))
        return NULL;
    row_of(&table, age)[column]++;
    PyBuffer_Release(&table);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"restart_row", restart_row, METH_VARARGS, NULL},
    {"count_person", count_person, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "census", NULL, -1, methods};

PyMODINIT_FUNC PyInit_census(void)
{
    return PyModule_Create(&module);
}
