"""Tangent differential privacy: Gibbs posteriors, exactly where W is finite, by sampling elsewhere.

A tangent bound is a statement about one data distribution, to first order in its change. It is not
(epsilon, delta)-DP; what is proven about a Gibbs draw is the exponential mechanism's epsilon
(`wassdp.accounting.events.gibbs.Gibbs`).

Source: Ying (2025), Tangent Differential Privacy (TDP).
"""
