"""Pay for a call in five lines."""

import os

from tollbridge import Client

client = Client(os.environ["BASE_URL"], key=os.environ.get("API_KEY"), budget="1.00")
answer = client.call("forecast", values=[112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118])
print(answer.charged_gbp, answer.result["points"][0]["value"])
print("record", client.verify(answer, seal_only=not os.environ.get("API_KEY")).seq, "holds")
