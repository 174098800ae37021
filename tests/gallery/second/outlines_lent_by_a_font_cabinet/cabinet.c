#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Keeps the outlines of fonts; a font that was asked for once is found in a dict. */

static PyObject *drawers;

static PyObject *
draw_outlines(const char *name, Py_ssize_t glyphs)
{
    PyObject *outlines = PyBytes_FromStringAndSize(NULL, glyphs * 640);

    if (outlines == NULL)
        return NULL;
    unsigned char *at = (unsigned char *)PyBytes_AS_STRING(outlines);
    for (Py_ssize_t i = 0; i < glyphs * 640; i++)
        at[i] = (unsigned char)(name[0] + i * 31);
    return outlines;
}

static PyObject *
cabinet_outlines(PyObject *module, PyObject *args)
{
    PyObject *name;
    Py_ssize_t glyphs;

    if (!PyArg_ParseTuple(args, "Un", &name, &glyphs))
        return NULL;
    PyObject *found = PyDict_GetItemWithError(drawers, name);
    if (found != NULL || PyErr_Occurred())
        return found;
    found = draw_outlines(PyUnicode_AsUTF8(name), glyphs);
    if (found == NULL || PyDict_SetItem(drawers, name, found) < 0)
        return NULL;
    return found;
}

static PyObject *
cabinet_fonts(PyObject *module, PyObject *none)
{
    return PyLong_FromSsize_t(PyDict_GET_SIZE(drawers));
}

static PyMethodDef methods[] = {
    {"outlines", cabinet_outlines, METH_VARARGS, "Return the outlines of a font."},
    {"fonts", cabinet_fonts, METH_NOARGS, "Return how many fonts are kept."},
    {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "cabinet", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_cabinet(void)
{
    drawers = PyDict_New();
    return drawers ? PyModule_Create(&module) : NULL;
}
