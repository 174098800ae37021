// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <string>
#include <vector>

namespace {

struct CollectionObject {
    PyObject_HEAD
    std::vector<std::string> *words;
};

PyObject *collection_new(PyTypeObject *type, PyObject *, PyObject *)
{
    auto *self = reinterpret_cast<CollectionObject *>(type->tp_alloc(type, 0));
    if (self != nullptr) {
        self->words = new std::vector<std::string>();
    }
    return reinterpret_cast<PyObject *>(self);
}

void collection_dealloc(PyObject *self)
{
    delete reinterpret_cast<CollectionObject *>(self)->words;
    Py_TYPE(self)->tp_free(self);
}

void add_all(std::vector<std::string> &words, const std::vector<std::string> &more)
{
    for (const std::string &word : more) {
        words.push_back(word);
    }
}

PyObject *extend(PyObject *self, PyObject *list)
{
    std::vector<std::string> more;
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), &size);
        if (text == nullptr) {
            return nullptr;
        }
        more.emplace_back(text, size);
    }
    Py_BEGIN_ALLOW_THREADS
    add_all(*reinterpret_cast<CollectionObject *>(self)->words, more);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

PyObject *size(PyObject *self, PyObject *)
{
    return PyLong_FromSize_t(reinterpret_cast<CollectionObject *>(self)->words->size());
}

PyMethodDef collection_methods[] = {
    {"extend", extend, METH_O, nullptr},
    {"size", size, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyTypeObject CollectionType = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "wordlist", nullptr, -1, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_wordlist()
{
    CollectionType.tp_name = "wordlist.Collection";
    CollectionType.tp_basicsize = sizeof(CollectionObject);
    CollectionType.tp_flags = Py_TPFLAGS_DEFAULT;
    CollectionType.tp_new = collection_new;
    CollectionType.tp_dealloc = collection_dealloc;
    CollectionType.tp_methods = collection_methods;
    PyObject *m;
    if (PyType_Ready(&CollectionType) < 0 || (m = PyModule_Create(&module)) == nullptr) {
        return nullptr;
    }
    Py_INCREF(&CollectionType);
    PyModule_AddObject(m, "Collection", reinterpret_cast<PyObject *>(&CollectionType));
    return m;
}
