"""dbos_bench.py pg IN_FLIGHT SECONDS: workflows of five checkpointed steps per second. PG_URL is the database."""
import os
import sys
import threading
import time

from dbos import DBOS

in_flight, seconds = int(sys.argv[2]), float(sys.argv[3])
DBOS(
    config={
        "name": "bench",
        "system_database_url": os.environ["PG_URL"],
        "log_level": "ERROR",
        "run_admin_server": False,
        "sys_db_pool_size": max(20, in_flight + 5),
    }
)


@DBOS.step()
def step(value):
    return value + 1


@DBOS.workflow()
def five(value):
    for _ in range(5):
        value = step(value)
    return value


DBOS.launch()


def drive(duration):
    done = []
    end = time.perf_counter() + duration

    def client():
        while time.perf_counter() < end:
            began = time.perf_counter()
            assert five(0) == 5
            done.append(time.perf_counter() - began)

    threads = [threading.Thread(target=client) for _ in range(in_flight)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(done)


drive(1.0)
began = time.perf_counter()
done = drive(seconds)
took = time.perf_counter() - began
print(f"DBOS {in_flight} in flight: {len(done) / took:.1f} wf/s p50={done[len(done) // 2] * 1e3:.1f}ms", flush=True)
os._exit(0)
