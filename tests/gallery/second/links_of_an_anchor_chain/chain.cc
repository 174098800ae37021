// SPDX-License-Identifier: Apache-2.0
// A chain of links that share their ownership: several ships may hold parts of one chain.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string>
#include <vector>

namespace {

struct Shackle {
    std::string stamp;
    double load;
};

struct Link {
    std::shared_ptr<Link> next;
    std::vector<Shackle> shackles;
    double wear = 0.0;

    virtual ~Link() { shackles.clear(); }
};

using Chain = std::shared_ptr<Link>;
const char *kind = "chain.Chain";

Chain *chain_of(PyObject *capsule)
{
    return static_cast<Chain *>(PyCapsule_GetPointer(capsule, kind));
}

void drop_chain(PyObject *capsule)
{
    delete chain_of(capsule);
}

PyObject *new_chain(PyObject *, PyObject *)
{
    return PyCapsule_New(new Chain, kind, drop_chain);
}

PyObject *forge(PyObject *, PyObject *args)
{
    PyObject *capsule;
    const char *stamp;
    double wear;
    if (!PyArg_ParseTuple(args, "Osd", &capsule, &stamp, &wear)) {
        return nullptr;
    }
    Chain *chain = chain_of(capsule);
    auto link = std::make_shared<Link>();
    link->wear = wear;
    link->shackles.push_back({stamp, wear * 40});
    link->next = std::move(*chain);
    *chain = std::move(link);
    Py_RETURN_NONE;
}

PyObject *measure(PyObject *, PyObject *capsule)
{
    long count = 0;
    double worst = 0;
    for (const Link *link = chain_of(capsule)->get(); link; link = link->next.get()) {
        count++;
        worst = link->wear > worst ? link->wear : worst;
    }
    return Py_BuildValue("ld", count, worst);
}

PyMethodDef functions[] = {
    {"new_chain", new_chain, METH_NOARGS, nullptr},
    {"forge", forge, METH_VARARGS, nullptr},
    {"measure", measure, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "chain", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_chain()
{
    return PyModule_Create(&definition);
}
