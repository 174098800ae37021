// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    char name[16];
    void (*notify)(const char *);
    long sent;
} Channel;

static Channel *channels[16];
static int used;

static void to_nobody(const char *name) { channels[0]->sent++; }

static PyObject *open_channel(PyObject *self, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
    Channel *channel = calloc(1, sizeof *channel);
    channel->notify = to_nobody;
    char *to = channel->name;
    while ((*to++ = *name++)) continue;
    channels[used] = channel;
    return PyLong_FromLong(used++);
}

static PyObject *publish(PyObject *self, PyObject *args)
{
    int number;
    if (!PyArg_ParseTuple(args, "i", &number)) return NULL;
    channels[number]->notify(channels[number]->name);
    channels[number]->sent++;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"open_channel", open_channel, METH_VARARGS, ""}, {"publish", publish, METH_VARARGS, ""}, {0}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "channels", "", -1, methods};
PyMODINIT_FUNC PyInit_channels(void) { return PyModule_Create(&module); }
