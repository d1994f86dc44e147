// Amounts, and the budget of a client: whole thousandths of a penny, never fractions.

import { BudgetExceeded } from "./errors.js";

/** Pounds, like `"0.40"` or `"£12.34"`, in thousandths of a penny. */
export function millipence(pounds: string): number {
  if (typeof pounds !== "string") throw new TypeError("an amount is a string like '1.00': numbers are not exact");
  const found = /^£?([0-9]{1,10})(?:\.([0-9]+))?$/.exec(pounds);
  const fraction = (found?.[2] ?? "").replace(/0+$/, "");
  if (!found || fraction.length > 5) {
    throw new RangeError(`${JSON.stringify(pounds)} is not an amount in pounds, exact to a thousandth of a penny`);
  }
  return Number(found[1]) * 100_000 + Number(fraction.padEnd(5, "0"));
}

/** Thousandths of a penny as pounds: two digits after the point, or as many more as there are. */
export function pounds(amount: number): string {
  const size = Math.abs(amount);
  const digits = String(size % 100_000).padStart(5, "0");
  return `${amount < 0 ? "-" : ""}${Math.floor(size / 100_000)}.${digits.slice(0, 2)}${digits.slice(2).replace(/0+$/, "")}`;
}

/**
 * What a client may still spend. Amounts are thousandths of a penny.
 *
 * A paid call first holds the most that it may cost. Its outcome turns the hold into what was
 * charged; while the outcome is unknown, the hold stays.
 */
export class Budget {
  readonly limit: number;
  #spent = 0;
  #held = 0;

  constructor(limit: string) {
    this.limit = millipence(limit);
  }

  /** Charged so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Set aside for calls that run, or whose outcome is not known. */
  get held(): number {
    return this.#held;
  }

  /** What new calls may cost together. */
  get remaining(): number {
    return this.limit - this.#spent - this.#held;
  }

  /** Sets an amount aside, or throws `BudgetExceeded`. */
  hold(amount: number): void {
    if (amount > this.remaining) throw new BudgetExceeded(amount, amount - this.remaining);
    this.#held += amount;
  }

  /** Ends a hold with what was charged. */
  settle(held: number, charged: number): void {
    this.#held -= held;
    this.#spent += charged;
  }
}
