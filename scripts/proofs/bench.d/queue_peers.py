"""Other queues on PostgreSQL, each as fast as its settings allow: run by scripts/proofs/bench queue.

usage: queue_peers.py (procrastinate | pgqueuer | awa) URL (drain JOBS | pickup SAMPLES)

Each has its own empty database. drain prints the rate of empty jobs per second, from the first to
the last; pickup prints the median and 99th percentile of the time from the end of the enqueuing call to
the job's start, in milliseconds, without the first ten jobs.
"""

import asyncio
import random
import sys
import time
from dataclasses import dataclass

peer, url, mode, number = sys.argv[1:4] + [int(sys.argv[4])]


class Measure:
    """Counts jobs, and records when the first and the last one began."""

    def __init__(self):
        self.count = 0
        self.first = self.last = 0.0
        self.began = asyncio.Event()

    def job(self):
        now = time.perf_counter()
        self.first = self.first or now
        self.last = now
        self.count += 1
        if mode == "pickup":
            self.began.set()

    async def all(self):
        while self.count < number:
            await asyncio.sleep(0.005)

    async def samples(self, enqueue):
        await asyncio.sleep(2)
        times = []
        # The first ten, for which connections and plans are made, don't count.
        for sample in range(-10, number):
            self.began.clear()
            await enqueue()
            enqueued = time.perf_counter()
            await asyncio.wait_for(self.began.wait(), 60)
            if sample >= 0:
                times.append(max(0.0, self.last - enqueued) * 1000)
            await asyncio.sleep(random.uniform(0.03, 0.06))
        times.sort()
        print(f"{times[len(times) // 2]:.2f} {times[len(times) * 99 // 100]:.2f}")

    def rate(self):
        print(int(self.count / (self.last - self.first)))


async def procrastinate():
    import procrastinate as p

    app = p.App(connector=p.PsycopgConnector(conninfo=url, min_size=4, max_size=20))
    measure = Measure()

    @app.task(queue="bench", name="noop")
    async def noop(n):
        measure.job()

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        options = dict(
            queues=["bench"], concurrency=50, install_signal_handlers=False,
            delete_jobs="always")
        if mode == "drain":
            for start in range(0, number, 1000):
                await noop.batch_defer_async(
                    *[{"n": n} for n in range(start, min(number, start + 1000))])
            await app.run_worker_async(wait=False, listen_notify=False, **options)
            measure.rate()
        else:
            worker = asyncio.create_task(app.run_worker_async(wait=True, **options))
            await measure.samples(lambda: noop.defer_async(n=1))
            worker.cancel()


async def pgqueuer():
    import asyncpg
    from datetime import timedelta
    from pgqueuer import AsyncpgDriver, PgQueuer, Queries
    from pgqueuer.types import QueueExecutionMode

    driver = AsyncpgDriver(await asyncpg.connect(url))
    await Queries(driver).install()
    manager = PgQueuer(driver).qm
    measure = Measure()

    @manager.entrypoint("noop")
    async def noop(job):
        measure.job()

    if mode == "drain":
        for start in range(0, number, 1000):
            count = min(1000, number - start)
            await Queries(driver).enqueue(["noop"] * count, [b"1"] * count, [0] * count)
        await manager.run(
            batch_size=100, max_concurrent_tasks=1000, mode=QueueExecutionMode.drain)
        measure.rate()
    else:
        sender = Queries(AsyncpgDriver(await asyncpg.connect(url)))
        worker = asyncio.create_task(
            manager.run(batch_size=10, dequeue_timeout=timedelta(seconds=5)))
        await measure.samples(lambda: sender.enqueue(["noop"], [b"1"], [0]))
        manager.shutdown.set()
        worker.cancel()


@dataclass
class Noop:
    n: int


async def awa():
    from awa import AsyncClient

    # Its driver needs a host in the URL; the one in the query takes precedence.
    client = AsyncClient(url.replace("@/", "@localhost/"), max_connections=20)
    await client.migrate()
    measure = Measure()

    @client.task(Noop, queue="bench")
    async def noop(job):
        measure.job()

    if mode == "drain":
        for start in range(0, number, 1000):
            await client.insert_many_copy(
                [Noop(n) for n in range(start, min(number, start + 1000))], queue="bench")
        await client.start([("bench", 200)], poll_interval_ms=20)
        await measure.all()
        measure.rate()
    else:
        await client.start([("bench", 10)])
        await measure.samples(lambda: client.insert(Noop(1), queue="bench"))
    await client.shutdown()


async def main():
    try:
        await {"procrastinate": procrastinate, "pgqueuer": pgqueuer, "awa": awa}[peer]()
    except asyncio.CancelledError:
        pass


try:
    import uvloop

    uvloop.run(main())
except ImportError:
    asyncio.run(main())
