// SPDX-License-Identifier: Apache-2.0
// Classes of messages: a metaclass keeps the names of the fields in the class itself.
#include <Python.h>

typedef struct {
    PyHeapTypeObject base;
    PyObject *field_names;
    Py_ssize_t *offsets;
} MessageType;

static PyObject *message_new(PyTypeObject *meta, PyObject *args, PyObject *kwds)
{
    MessageType *cls = (MessageType *)PyType_Type.tp_new(meta, args, kwds);
    if (cls == NULL) return NULL;
    PyObject *fields = PyObject_GetAttrString((PyObject *)cls, "__fields__");
    if (fields == NULL) return NULL;
    cls->field_names = PySequence_Tuple(fields);
    Py_DECREF(fields);
    if (cls->field_names == NULL) return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(cls->field_names);
    cls->offsets = PyMem_Calloc(count + 1, sizeof(Py_ssize_t));
    for (Py_ssize_t n = 0; n < count; n++) cls->offsets[n] = 16 + 8 * n;
    return (PyObject *)cls;
}

static PyTypeObject MessageType_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "schema.MessageType",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = message_new,
};

static __attribute__((noinline)) PyObject *plan_decoder(MessageType *cls)
{
    Py_ssize_t count = PyTuple_GET_SIZE(cls->field_names);
    PyObject *plan = PyList_New(count);
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *step = Py_BuildValue("(On)", PyTuple_GET_ITEM(cls->field_names, n), cls->offsets[n]);
        PyList_SET_ITEM(plan, n, step);
    }
    return plan;
}

static PyObject *decoder_for(PyObject *self, PyObject *cls)
{
    if (!PyObject_TypeCheck(cls, &MessageType_Type)) {
        PyErr_SetString(PyExc_TypeError, "a class of messages is needed");
        return NULL;
    }
    return plan_decoder((MessageType *)cls);
}

static PyMethodDef methods[] = {{"decoder_for", decoder_for, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "schema", NULL, -1, methods};

PyMODINIT_FUNC PyInit_schema(void)
{
    MessageType_Type.tp_base = &PyType_Type;
    MessageType_Type.tp_basicsize = sizeof(MessageType);
    if (PyType_Ready(&MessageType_Type) < 0) return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&MessageType_Type);
    PyModule_AddObject(m, "MessageType", (PyObject *)&MessageType_Type);
    return m;
}
