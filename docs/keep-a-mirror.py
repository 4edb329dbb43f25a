#!/usr/bin/env python3
"""Keeps a copy of an archive: docs/mirror.md. It needs Python 3.9, and nothing else.

python3 keep-a-mirror.py http://127.0.0.1:8080/rinex/api/ FOLDER [--once] [--check]
"""
import argparse, base64, email.utils, fcntl, gzip, hashlib, http.client, json, os, pathlib, re
import shutil, time, urllib.error, urllib.request

# What the names of RINEX files end in, compressed or not.
rinex = re.compile(r"\.(gz|z|rnx|crx|\d\d[a-z])$", re.IGNORECASE)


def ask(url, method="GET", **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, headers=headers, method=method)
    return urllib.request.urlopen(request, timeout=90)


def digest_in(answer):
    """The SHA-256 of the file that the server sends; None while the server does not know it."""
    value = answer.headers["Repr-Digest"]  # sha-256=:base64:
    return value and base64.b64decode(value.split(":")[1]).hex()


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


class Mirror:
    def __init__(self, api, folder, check):
        self.api, self.folder, self.check = api, pathlib.Path(folder).resolve(), check
        self.state = self.folder / ".mirror.json"
        # The URL of the next changes, and the files whose checksum was not known.
        self.next, self.waiting = None, {}
        if self.state.exists():
            self.next, self.waiting = json.loads(self.state.read_text())

    def save(self):
        new = self.folder / ".mirror.new"
        new.write_text(json.dumps([self.next, self.waiting]))
        new.replace(self.state)

    def place(self, record):
        """Where the file of a record belongs."""
        root = record["url"].split("/api/rinex-file/")[0] + "/data/"
        path = self.folder / record["download_path"].removeprefix(root)
        if self.folder not in path.parents or ".." in path.parts:
            raise ValueError(f"not below the folder: {path}")
        return path

    def keep(self, record):
        """Gets a file, unless its copy has the same size, time and, with --check, checksum."""
        path, file = self.place(record), record["file"]
        if path.is_file():
            stat = path.stat()
            mtime = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stat.st_mtime))
            is_dated = (file["mtime"] or mtime)[:19] == mtime
            if is_dated and file["size"] in (None, stat.st_size):
                if not self.check or file["sha256"] in (None, sha256_of(path)):
                    return
        self.fetch(record["download_path"], path)

    def fetch(self, url, path):
        """Downloads a file, or the rest of it, and puts it in place if its checksum is right."""
        part, tag = (path.with_name(f".{path.name}.{kind}") for kind in ("part", "tag"))
        path.parent.mkdir(parents=True, exist_ok=True)
        rest = {}
        if part.exists() and tag.exists():
            rest = {"Range": f"bytes={part.stat().st_size}-", "If_Range": tag.read_text()}
        try:
            answer = ask(url, **rest)
        except urllib.error.HTTPError as error:
            if error.code == 416:  # there is no rest
                part.unlink()
                return self.fetch(url, path)
            if error.code == 404:  # removed meanwhile, or the server may not read it
                return print(f"{url}: {error}", flush=True)
            raise
        with answer, open(part, "ab" if answer.status == 206 else "wb") as file:
            tag.write_text(answer.headers["ETag"])
            shutil.copyfileobj(answer, file)
        length = answer.headers["Content-Range"] or answer.headers["Content-Length"]
        if part.stat().st_size != int(length.split("/")[-1]):
            raise ConnectionError(f"{url}: not complete")  # the next attempt gets the rest
        tag.unlink()
        expected, found = digest_in(answer), sha256_of(part)
        if expected not in (None, found):
            part.unlink()
            return print(f"{url}: damaged, not kept", flush=True)
        modified = answer.headers["Last-Modified"]  # absent if the date is in the future
        when = email.utils.parsedate_to_datetime(modified).timestamp() if modified else time.time()
        os.utime(part, (when, when))
        part.replace(path)
        self.waiting.pop(str(path), None)
        if expected is None and len(self.waiting) < 1000:
            self.waiting[str(path)] = [url, found, time.time()]

    def walk(self):
        """Makes the folder equal to the whole list, and continues with the changes after it."""
        with ask(self.api + "status/") as answer:
            is_whole = json.load(answer)["last_scan"] is not None
        url, saved = self.api + "rinex-file/?format=ndjson&expand=file", self.folder / ".list"
        # The list goes to a file first: the server disconnects a client that does not read.
        with ask(url, Accept_Encoding="gzip") as answer, open(saved, "wb") as file:
            is_zipped = answer.headers["Content-Encoding"] == "gzip"
            shutil.copyfileobj(gzip.open(answer) if is_zipped else answer, file)
        listed = set()
        with open(saved, "rb") as lines:
            for record in map(json.loads, lines):
                listed.add(self.place(record))
                self.keep(record)
        # During its first scan the server does not know all files yet: then nothing is removed.
        for path in self.folder.rglob("*") if is_whole else ():
            if rinex.search(path.name) and path not in listed and path.is_file():
                path.unlink()
        self.next = re.search(r'<([^>]+)>; rel="monitor"', answer.headers["Link"])[1]
        self.check = False
        self.save()

    def follow(self, wait):
        """Applies a page of changes. Returns False if there was none."""
        with ask(f"{self.next}&limit=1000&wait={wait}", Accept="application/json") as answer:
            page = json.load(answer)
        for change in page["results"]:
            if change["change"] == "removed":
                self.place(change["record"]).unlink(missing_ok=True)
            else:
                self.keep(change["record"])
        self.next = page["next"]
        return page["results"] != []

    def verify(self):
        """Asks for the checksums that were not known, twenty at a time, each for a day."""
        for path, (url, found, since) in list(self.waiting.items())[:20]:
            try:
                with ask(url, "HEAD") as answer:
                    expected = digest_in(answer)
            except urllib.error.HTTPError as error:
                if error.code != 404:
                    raise
                expected = found  # it is gone, and the changes will say so
            del self.waiting[path]
            if expected is None and time.time() - since < 86400:
                self.waiting[path] = [url, found, since]  # asked again after the others
            elif expected not in (None, found):
                self.fetch(url, pathlib.Path(path))
        self.save()

    def run(self, once):
        while True:
            try:
                if self.next is None or self.check:
                    self.walk()
                has_more = self.follow(0 if once else 30)
                self.verify()
                if once and not has_more:
                    return
            except (OSError, EOFError, http.client.HTTPException) as error:
                pause = "10"
                if isinstance(error, urllib.error.HTTPError):
                    if error.code == 410:  # the server no longer has these changes
                        self.next = None
                        continue
                    if error.code not in (429, 500, 502, 503, 504):
                        raise
                    pause = error.headers["Retry-After"] or pause
                if once:
                    raise SystemExit(f"{error}: not up to date")
                print(f"{error}: again in {pause} seconds", flush=True)
                time.sleep(int(pause))



parser = argparse.ArgumentParser(description="Keeps a copy of an archive.")
parser.add_argument("api", help="URL of the API, with a slash at its end")
parser.add_argument("folder", help="folder of the copy; other RINEX files in it are removed")
parser.add_argument("--once", action="store_true", help="end when the copy is up to date")
parser.add_argument("--check", action="store_true", help="first compare the contents of all files")
options = parser.parse_args()
os.makedirs(options.folder, exist_ok=True)
lock = open(os.path.join(options.folder, ".lock"), "w")
fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # one program at a time
Mirror(options.api, options.folder, options.check).run(options.once)
