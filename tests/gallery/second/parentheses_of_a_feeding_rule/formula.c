/* A parser of formulas by recursive descent: numbers, w (the weight), + - * / and parentheses. */
#include <stdlib.h>

struct reader {
    const char *at;
    double weight;
};

static double parse_sum(struct reader *reader);

static double __attribute__((noinline)) parse_factor(struct reader *reader)
{
    if (*reader->at == '(') {
        reader->at++;
        double value = parse_sum(reader);
        if (*reader->at == ')')
            reader->at++;
        return value;
    }
    if (*reader->at == 'w') {
        reader->at++;
        return reader->weight;
    }
    char *end;
    double value = strtod(reader->at, &end);
    reader->at = end;
    return value;
}

static double __attribute__((noinline)) parse_product(struct reader *reader)
{
    double value = parse_factor(reader);
    for (;;) {
        char sign = *reader->at;
        if (sign != '*' && sign != '/')
            return value;
        reader->at++;
        double factor = parse_factor(reader);
        value = sign == '*' ? value * factor : value / factor;
    }
}

static double __attribute__((noinline)) parse_sum(struct reader *reader)
{
    double value = parse_product(reader);
    for (;;) {
        char sign = *reader->at;
        if (sign != '+' && sign != '-')
            return value;
        reader->at++;
        double term = parse_product(reader);
        value = sign == '+' ? value + term : value - term;
    }
}

double formula_evaluate(const char *text, double weight)
{
    struct reader reader = {text, weight};
    return parse_sum(&reader);
}
