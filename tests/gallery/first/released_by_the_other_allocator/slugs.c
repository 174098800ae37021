/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>
#include <ctype.h>

static PyObject *slug(PyObject *self, PyObject *title)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(title, &size);
    if (!text)
        return NULL;
    char *work = PyMem_Malloc(size + 1);
    if (!work)
        return PyErr_NoMemory();
    for (Py_ssize_t n = 0; n < size; n++)
        work[n] = isalnum((unsigned char)text[n]) ? tolower(text[n]) : '-';
    PyObject *made = PyUnicode_FromStringAndSize(work, size);
    PyObject_Free(work);
    return made;
}

static PyMethodDef methods[] = {{"slug", slug, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "slugs", NULL, -1, methods};
PyMODINIT_FUNC PyInit_slugs(void) { return PyModule_Create(&module); }
