/* polish.c - see polish.h. */
#include "policies/smm/polish.h"

#include <math.h>

/* The number that is k-th least goes to v[k], what is less before it: Hoare's
 * FIND, CACM 1961. */
static void select_kth(double *v, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        double pivot = v[k];
        size_t i = low, j = high;

        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                double other = v[i];

                v[i++] = v[j];
                v[j] = other;
                if (j == 0)
                    break;
                j--;
            }
            if (i > j)
                break;
        }
        if (j < k)
            low = i;
        if (k < i)
            high = j;
    }
}

double polish_median(double *v, size_t n)
{
    double most;

    if (n == 0)
        return NAN;
    select_kth(v, n, n / 2);
    if (n % 2)
        return v[n / 2];
    most = v[0];
    for (size_t i = 1; i < n / 2; i++)
        most = fmax(most, v[i]);
    return (most + v[n / 2]) / 2;
}

static double *cell(const struct polish *p, uint32_t task, uint32_t step)
{
    return &p->left[(size_t)task * p->steps + step];
}

/* Of what tasks have of a step, or how far that is from 0. */
static double median_of_step(const struct polish *p, uint32_t step,
                             double *words, double (*of)(double))
{
    size_t n = 0;

    for (uint32_t i = 0; i < p->tasks; i++)
        if (!isnan(*cell(p, i, step)))
            words[n++] = of(*cell(p, i, step));
    return polish_median(words, n);
}

static double itself(double x)
{
    return x;
}

static void take_steps_off(struct polish *p, double *words)
{
    for (uint32_t s = 0; s < p->steps; s++) {
        for (uint32_t i = 0; i < p->tasks; i++)
            *cell(p, i, s) = log(*cell(p, i, s));
        p->normal[s] = median_of_step(p, s, words, itself);
        for (uint32_t i = 0; i < p->tasks; i++)
            *cell(p, i, s) -= p->normal[s];
    }
}

static void take_tasks_off(struct polish *p, double *words)
{
    for (uint32_t i = 0; i < p->tasks; i++) {
        size_t n = 0;

        for (uint32_t s = 0; s < p->steps; s++)
            if (!isnan(*cell(p, i, s)))
                words[n++] = *cell(p, i, s);
        p->slow[i] = n >= POLISH_STEPS ? polish_median(words, n) : 0;
        for (uint32_t s = 0; s < p->steps; s++)
            *cell(p, i, s) -= p->slow[i];
    }
}

void polish(struct polish *p, double *words)
{
    take_steps_off(p, words);
    take_tasks_off(p, words);
    for (uint32_t s = 0; s < p->steps; s++)
        p->spread[s] =
            hypot(POLISH_MAD * median_of_step(p, s, words, fabs), POLISH_LEAST);
}
