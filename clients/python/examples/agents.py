"""Give an agent a task, several at once, and stay within a budget."""

import asyncio
import os

from tollbridge import AsyncClient, BudgetExceeded


async def main() -> None:
    """Asks for three answers; the budget is enough for two."""
    async with AsyncClient(os.environ["BASE_URL"], os.environ["API_KEY"], budget="0.40") as client:
        texts = [f"Summarize in one sentence: The clock stopped {n} times. Nobody wound it." for n in (1, 2, 3)]
        price = (await client.quote_agent("summarization", texts[0])).amount_gbp
        tasks = [client.agent("summarization", text) for text in texts]
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, BudgetExceeded):
                print("too dear:", outcome.message)
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                await client.verify(outcome)
                print(f"£{outcome.charged_gbp} of £{price}:", outcome.result["summary"])


asyncio.run(main())
