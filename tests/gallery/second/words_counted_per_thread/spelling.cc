// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <unordered_map>

namespace {

class Spellings {
public:
    ~Spellings()
    {
        for (auto &[text, word] : words_)
            Py_DECREF(word);
    }

    PyObject *find(const std::string &text, PyObject *make)
    {
        auto found = words_.find(text);
        if (found == words_.end()) {
            PyObject *word = PyObject_CallFunction(make, "s", text.c_str());
            if (word == nullptr)
                return nullptr;
            found = words_.emplace(text, word).first;
        }
        Py_INCREF(found->second);
        return found->second;
    }

private:
    std::unordered_map<std::string, PyObject *> words_;
};

thread_local Spellings spellings;

PyObject *cached(PyObject *, PyObject *args)
{
    const char *text;
    PyObject *make;
    if (!PyArg_ParseTuple(args, "sO", &text, &make))
        return nullptr;
    return spellings.find(text, make);
}

PyMethodDef functions[] = {
    {"cached", cached, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "spelling", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_spelling()
{
    return PyModule_Create(&module);
}
