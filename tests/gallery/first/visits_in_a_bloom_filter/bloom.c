// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdint.h>
enum { WORDS = 8 };
typedef struct { PyObject_HEAD uint64_t words[WORDS]; PyObject *campaign; } Filter;
static int filter_init(Filter *self, PyObject *args, PyObject *kw)
{
    PyObject *campaign;
    if (!PyArg_ParseTuple(args, "O", &campaign))
        return -1;
    Py_INCREF(campaign);
    self->campaign = campaign;
    return 0;
}
static PyObject *filter_add(Filter *self, PyObject *page)
{
    const char *text = PyUnicode_AsUTF8(page);
    uint64_t hash = 14695981039346656037u;
    if (text == NULL)
        return NULL;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    self->words[(hash >> 8) & WORDS] |= 1ull << (hash >> 20 & 63);
    Py_RETURN_NONE;
}
static PyObject *filter_campaign(Filter *self, PyObject *none)
{
    Py_INCREF(self->campaign);
    return self->campaign;
}
static PyMethodDef methods[] = {
    {"add", (PyCFunction)filter_add, METH_O, ""}, {"campaign", (PyCFunction)filter_campaign, METH_NOARGS, ""}, {0}};
static PyTypeObject FilterType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bloom.Filter", .tp_basicsize = sizeof(Filter),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)filter_init,
    .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "bloom", "", -1, 0};
PyMODINIT_FUNC PyInit_bloom(void)
{
    if (PyType_Ready(&FilterType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&FilterType);
    PyModule_AddObject(made, "Filter", (PyObject *)&FilterType);
    return made;
}
