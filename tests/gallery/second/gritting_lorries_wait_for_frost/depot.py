"""Lorries of a winter service: threads that wait for a road to grit."""

import queue
import threading


class Lorry(threading.Thread):
    def __init__(self, plate, roads):
        super().__init__(name=plate)
        self.roads = roads
        self.gritted = []

    def run(self):
        while True:
            road = self.roads.get()
            try:
                if road is None:
                    return
                self.gritted.append(road)
            finally:
                self.roads.task_done()


class Depot:
    def __init__(self, plates):
        self.roads = queue.Queue(maxsize=50)
        self.lorries = [Lorry(plate, self.roads) for plate in plates]
        for lorry in self.lorries:
            lorry.start()

    def grit(self, roads):
        for road in roads:
            self.roads.put(road)
        self.roads.join()
