// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

typedef struct {
    uint32_t width, height;
    uint32_t bytes;
    uint32_t *pixels;
} Sheet;

static void fill_row(Sheet *sheet, uint32_t row)
{
    uint32_t *pixel = sheet->pixels + (size_t)row * sheet->width;
    for (uint32_t column = 0; column < sheet->width; column++)
        pixel[column] = 0xff000000u | (row ^ column);
}

/* Make the sheet that is sent to the printer; return how many pixels it has. */
static PyObject *enlarge(PyObject *self, PyObject *args)
{
    unsigned int width, height, factor;
    if (!PyArg_ParseTuple(args, "III", &width, &height, &factor))
        return NULL;
    Sheet sheet = {width * factor, height * factor};
    sheet.bytes = sheet.width * sheet.height * 4;
    sheet.pixels = malloc(sheet.bytes);
    if (sheet.pixels == NULL)
        return PyErr_NoMemory();
    for (uint32_t row = 0; row < sheet.height; row++)
        fill_row(&sheet, row);
    unsigned long count = (unsigned long)sheet.width * sheet.height;
    free(sheet.pixels);
    return PyLong_FromUnsignedLong(count);
}

static PyMethodDef methods[] = {
    {"enlarge", enlarge, METH_VARARGS, "Scale a poster up."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "scaling", NULL, -1, methods};

PyMODINIT_FUNC PyInit_scaling(void)
{
    return PyModule_Create(&module);
}
