"""Calls that block, made from the event loop."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run a blocking call in a daemon thread, which delays neither the loop's nor the process's end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(how: Callable[[Any], None], value: Any) -> None:
        if not done.done():  # its caller may be gone
            how(value)

    def work() -> None:
        try:
            how, value = done.set_result, call(*arguments, **named)
        except BaseException as error:
            how, value = done.set_exception, error  # type: ignore[assignment]
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, how, value)

    Thread(target=work, daemon=True).start()
    return await done
