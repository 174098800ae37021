/* A brush that paints rows of a canvas. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static struct {
    unsigned char *pixels;
    Py_ssize_t size, width;
    long strokes;
} canvas;

static PyObject *take(PyObject *self, PyObject *args)
{
    Py_buffer view;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(args, "w*n", &view, &width))
        return NULL;
    canvas.pixels = view.buf;
    canvas.size = view.len;
    canvas.width = width;
    PyBuffer_Release(&view);
    Py_RETURN_NONE;
}

static void paint_row(unsigned char *row, Py_ssize_t width, int grey)
{
    for (Py_ssize_t i = 0; i < width; i++)
        if (row[i] < grey)
            row[i] = grey;
}

static PyObject *stroke(PyObject *self, PyObject *args)
{
    Py_ssize_t row;
    int grey;
    if (!PyArg_ParseTuple(args, "ni", &row, &grey))
        return NULL;
    if (row < 0 || (row + 1) * canvas.width > canvas.size) {
        PyErr_SetString(PyExc_IndexError, "beside the canvas");
        return NULL;
    }
    paint_row(canvas.pixels + row * canvas.width, canvas.width, grey);
    canvas.strokes++;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"take", take, METH_VARARGS, NULL},
    {"stroke", stroke, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "brush", NULL, -1, methods};

PyMODINIT_FUNC PyInit_brush(void)
{
    return PyModule_Create(&module);
}
