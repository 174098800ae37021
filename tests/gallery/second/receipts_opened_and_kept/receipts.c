// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *receipts_amount(PyObject *self, PyObject *path)
{
    char line[64];
    const char *name = PyUnicode_AsUTF8(path);
    if (name == NULL)
        return NULL;
    FILE *file = fopen(name, "r");
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = 0;
    return PyLong_FromLong(atol(line));
}
static PyMethodDef methods[] = {{"amount", receipts_amount, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "receipts", "", -1, methods};
PyMODINIT_FUNC PyInit_receipts(void) { return PyModule_Create(&module); }
