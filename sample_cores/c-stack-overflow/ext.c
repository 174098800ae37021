/* SPDX-License-Identifier: Apache-2.0
 *
 * _tree.visit_children(children, visitor): call the visitor for each child.  Visitors come back
 * here for the children's children, and nothing counts how deep: the bug.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static __attribute__((noinline)) int
visit_list(PyObject *children, PyObject *visitor)
{
    char path[128]; /* an ordinary C frame: a buffer of its own */
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(children); i++) {
        PyOS_snprintf(path, sizeof(path), "child %zd of %p", i, (void *)children);
        PyObject *result = PyObject_CallOneArg(visitor, PyList_GET_ITEM(children, i));
        if (result == NULL) {
            PyErr_Format(PyExc_RuntimeError, "visitor failed at %s", path);
            return -1;
        }
        Py_DECREF(result);
    }
    return 0;
}

static PyObject *
visit_children(PyObject *module, PyObject *args)
{
    PyObject *children, *visitor;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &children, &visitor))
        return NULL;
    if (visit_list(children, visitor) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"visit_children", visit_children, METH_VARARGS, "Call visitor(child) for each child."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_tree", .m_size = -1, .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__tree(void)
{
    return PyModule_Create(&module);
}
