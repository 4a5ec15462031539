"""Uses the package that openapi-python-client made of the document. It is checked by mypy, then run."""

import json
import sys

from library_client import AuthenticatedClient
from library_client.api.tools import add, add_by_query, find_by_query, reserve, scan, scan_cancel, scan_result
from library_client.models import (
    AddInput,
    AddOutput,
    Cancellation,
    Error400,
    FindOutput,
    PromiseToken,
    ReserveFailureOnLoan,
    ReserveInput,
    ScanInput,
    ScanOutput,
)

base_url, token = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token)

posted = add.sync(client=client, body=AddInput(a=1, b=2))
assert isinstance(posted, AddOutput)

queried = add_by_query.sync(client=client, a=40)
assert isinstance(queried, AddOutput)

found = find_by_query.sync(client=client, text="x", tags=["a", "b"], exact=True)
assert isinstance(found, FindOutput)

loan = reserve.sync(client=client, body=ReserveInput(id="lent"))
assert isinstance(loan, ReserveFailureOnLoan)

wrong = ReserveInput(id="x")
wrong.id = 5  # type: ignore[assignment]
invalid = reserve.sync(client=client, body=wrong)
assert isinstance(invalid, Error400)

promised = scan.sync_detailed(
    client=client, body=ScanInput(pages=3), prefer="respond-async", idempotency_key="scan of three pages"
)
promise = promised.parsed
assert isinstance(promise, PromiseToken)
result = scan_result.sync(client=client, token=promise.promise_token, prefer="wait=20")
assert isinstance(result, ScanOutput)
cancelled = scan_cancel.sync(client=client, token=promise.promise_token)
assert isinstance(cancelled, Cancellation)

print(
    json.dumps(
        {
            "sum": posted.sum_,
            "queried": queried.sum_,
            "found": found.found.to_dict(),
            "until": loan.data.until,
            "code": str(invalid.code),
            "promised": [
                int(promised.status_code),
                promised.headers["location"].endswith(promise.promise_token),
            ],
            "scanned": result.scanned,
            "cancelled": cancelled.cancelled,
        }
    )
)
