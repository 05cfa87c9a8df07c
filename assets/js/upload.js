// A file on its way to Python: it goes in parts, since one message must stay small.

const PART = 1024 * 1024;

/** Send a file in parts: `send(part, is_last)` for each. */
export async function in_parts(file, send) {
  for (let at = 0; at === 0 || at < file.size; at += PART) {
    send(await file.slice(at, at + PART).arrayBuffer(), at + PART >= file.size);
  }
}

/** Whether something that is dragged is a file. */
export function has_files(event) { return event.dataTransfer?.types.includes("Files") ?? false; }

/** A size in MB, rounded up. */
export function megabytes(bytes) { return Math.ceil(bytes / 2 ** 20); }
