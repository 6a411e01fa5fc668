/* polish.h - which task takes longer for one of its steps than its like do: a
 * measure that works with hundreds of steps and with loads that differ, where a
 * distance over all steps drowns the one that is odd.
 *
 * The logarithm of the time that a task has spent in a step is taken for the
 * sum of what the step takes in its group, how slow the task is, and what is
 * left. The first is the median over the group, the second the task's own
 * median of what is left then (the first sweep of Tukey's median polish,
 * Exploratory Data Analysis, 1977, chapter 10). What is left, in units of its
 * robust deviation over the group (MAD), is the score of task and step. */
#ifndef HCT_POLISH_H
#define HCT_POLISH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* 1 / Phi^-1(3/4): times a MAD, the deviation of a normal distribution. */
#define POLISH_MAD 1.4826
/* What is left is told from nothing no better than this: about 1 part in
 * 100. */
#define POLISH_LEAST 0.01
/* Of fewer steps than this a median says nothing of how slow a task is: it may be
 * that of the step that is odd. Then it is taken for as fast as its like. */
#define POLISH_STEPS 3

struct polish {
    uint32_t tasks, steps;
    double *left;               /* borrowed, tasks x steps, by task: at first
                                   the times, ns, more than 0, or NaN for a step
                                   that the task has not; then the logarithm
                                   that is left */
    double *normal;             /* borrowed, of steps: log of the median; NaN:
                                   nobody has it */
    double *spread;             /* borrowed, of steps: deviation of what is
                                   left */
    double *slow;               /* borrowed, of tasks: log of how many times as
                                   long as its like it takes for everything */
};

/* words: room for as many as there are tasks or steps, whichever are more. */
void polish(struct polish *p, double *words);

/* Of one cell: deviations of what is left; more than 0 takes longer. */
static inline double polish_score(double left, double spread)
{
    return left / spread;
}
/* How much longer it took, ns, than a task that is so slow normally does; less
 * than 0: shorter. */
static inline double polish_cost(double left, double normal, double slow)
{
    return exp(normal + slow) * (exp(left) - 1);
}

/* The middle of n numbers, or of the two in the middle, which are put in
 * another order; NaN of none. */
double polish_median(double *v, size_t n);

#endif
