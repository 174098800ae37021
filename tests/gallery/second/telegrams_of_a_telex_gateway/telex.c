// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    const char *text;
    Py_ssize_t length;
    unsigned short check;
} Telegram;

static unsigned short checksum(const Telegram *telegram)
{
    unsigned short sum = 0;
    for (Py_ssize_t at = 0; at != telegram->length; at++)
        sum = (unsigned short)((sum << 1 | sum >> 15) ^ (unsigned char)telegram->text[at]);
    return sum;
}

static PyObject *seal(PyObject *module, PyObject *args)
{
    Telegram telegram = {NULL, -1, 0};
    if (!PyArg_ParseTuple(args, "s#", &telegram.text, &telegram.length))
        return NULL;
    telegram.check = checksum(&telegram);
    return PyUnicode_FromFormat("%s=%04x", telegram.text, telegram.check);
}

static PyMethodDef methods[] = {
    {"seal", seal, METH_VARARGS, "seal(text) -> text with its check"},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "telex", NULL, -1, methods};

PyMODINIT_FUNC PyInit_telex(void)
{
    return PyModule_Create(&module);
}
