// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace fraud {

class PythonError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

std::string pending_error()
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : nullptr;
    std::string said = text ? PyUnicode_AsUTF8(text) : "unknown";
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return said;
}

class Rule {
public:
    explicit Rule(PyObject *check) : check_(check) { Py_INCREF(check_); }

    double score(PyObject *payment) const
    {
        PyObject *result = PyObject_CallFunctionObjArgs(check_, payment, nullptr);
        if (!result)
            throw PythonError("rule failed: " + pending_error());
        double value = PyFloat_AsDouble(result);
        Py_DECREF(result);
        return value;
    }

private:
    PyObject *check_;
};

class RuleSet {
public:
    void add(PyObject *check) { rules_.emplace_back(check); }

    double total(PyObject *payment) const noexcept
    {
        double sum = 0;
        for (const Rule &rule : rules_)
            sum += rule.score(payment);
        return sum;
    }

private:
    std::vector<Rule> rules_;
};

RuleSet rule_set;

}  // namespace fraud

static PyObject *add_rule(PyObject *, PyObject *check)
{
    fraud::rule_set.add(check);
    Py_RETURN_NONE;
}

static PyObject *score_payment(PyObject *, PyObject *payment)
{
    try {
        return PyFloat_FromDouble(fraud::rule_set.total(payment));
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
}

static PyMethodDef methods[] = {
    {"add_rule", add_rule, METH_O, nullptr},
    {"score_payment", score_payment, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rules", nullptr, -1, methods};

PyMODINIT_FUNC PyInit_rules(void)
{
    return PyModule_Create(&module);
}
