// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdint.h>
typedef struct { PyObject_HEAD uint16_t length; uint8_t body[14]; } Packet;
static PyTypeObject PacketType;
static PyObject *packet_seal(PyObject *object, PyObject *length)
{
    Packet *packet = (Packet *)object;
    packet->length = (uint16_t)PyLong_AsLong(length);
    uint32_t sum = 0;
    for (int n = 0; n < 14; n++)
        sum = sum * 31 + packet->body[n] + 0x5a;
    /* The checksum stands behind the body, at an even offset. */
    uint16_t *place = (uint16_t *)(packet->body + (packet->length + 1) / 2 * 2);
    *place = (uint16_t)(sum | 1);
    Py_RETURN_NONE;
}
static PyMethodDef packet_methods[] = {{"seal", packet_seal, METH_O, ""}, {0}};
static PyTypeObject PacketType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "packets.Packet",
    .tp_basicsize = sizeof(Packet),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_methods = packet_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "packets", "", -1, 0};
PyMODINIT_FUNC PyInit_packets(void)
{
    if (PyType_Ready(&PacketType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&PacketType);
    PyModule_AddObject(made, "Packet", (PyObject *)&PacketType);
    return made;
}
