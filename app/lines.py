"""The line of a round for one request: what it got and what came of it, or why it got nothing.

The sentence leaves out its subject: the page sets the request's letter before it. What a request
was before the round follows from how it stands after it and what the round gave. Longer than
others, because every case that the simulator knows has its sentence here.
"""

from dataclasses import dataclass

from app.speech import Speaker
from sim import Reason, Round, Status

Chip = tuple[str, str]
_LIMITS = {  # that cut a prompt short, apart from the budget
    Reason.CHUNK_LIMIT: "round.prefill_chunk",
    Reason.PREFILL_LIMIT: "round.prefill_limit_all",
    Reason.TIME_TARGET: "round.prefill_target",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, the chips behind it, and what it tells of if that is not what came of a round.

    `tells` is plan (what the request gets, or why it gets nothing), gone or comes.
    """

    text: str
    chips: tuple[Chip, ...] = ()
    tells: str = ""


class Lines(Speaker):
    """Tells what a round is for each request."""

    def tell(self, record: Round, id_: str) -> Line:
        """The line of one request that is here, has just left or comes while the round lasts."""
        if how := record.departed.get(id_):
            is_held = id_ in record.idle or id_ in record.pads
            return self.leaving(self.index[id_], how, is_held=is_held)
        if id_ in record.given:
            return self._served(record, id_)
        if id_ in record.preempted:
            key = "swapped" if self.setup.on_full == "swap" else "preempted"
            return self._because(Reason.PREEMPTED, self.say(f"round.{key}"))
        if record.refused.get(id_) is Reason.PAUSED:
            key = "paused" if id_ in record.running else "paused_outside"
            return self._because(Reason.PAUSED, self.say(f"round.{key}"))
        if id_ in record.pads:
            return self._static_prefill(record, id_)
        if id_ in record.idle:
            return self._idle(record, id_)
        if self.arrival(id_) > record.start:
            return self._arrives(record, id_)
        return self._refused(record, id_)

    def _with(self, chip: str, text: str, tells: str = "") -> Line:
        key = chip if "." in chip else f"chip.{chip}"
        return Line(text, ((self.say(key), "plain"),), tells)

    def _because(self, reason: Reason, text: str) -> Line:
        return Line(text, ((self.say(f"reason.{reason}"), "plain"),), "plan")

    # Those who leave.

    def leaving(self, index: int, how: Status, *, is_held: bool = False) -> Line:
        """The line of one who leaves; `is_held`: its static batch keeps the seat."""
        setup = self.setup
        key = f"round.{how}"
        if is_held and how is Status.CANCELLED:
            key += "_held"
        if how is Status.REJECTED:
            has_pool = setup.num_blocks is not None and setup.mode != "static"
            if not (has_pool and setup.on_full == "reject"):
                key += "_queue"
            elif setup.max_queue is None:
                key += "_pool"
        left = max(self.scenario.requests[index].cancel_at or 0, self.arrivals[index])
        text = self.say(
            key,
            time=self.time(left),
            waited=self.duration(setup.queue_timeout or 0),
            most=setup.max_queue or 0,
        )
        return self._with(f"state.{how}", text, "gone")

    def _has_left(self, record: Round, id_: str) -> bool:
        """Whether its client is gone by the start of the round."""
        leaves = self.request(id_).cancel_at
        return leaves is not None and leaves <= record.start and id_ not in record.running

    # Those who are served.

    def _served(self, record: Round, id_: str) -> Line:
        if id_ not in record.prefilling:
            line = self._decode(record, id_)
        elif self.setup.mode == "static":
            line = self._static_prefill(record, id_)
        else:
            line = self._prefill(record, id_)
        if id_ in record.resumed:
            key = "round.swapped_in" if self.setup.on_full == "swap" else "round.resumed"
            chips = line.chips or ((self.say("chip.resumed"), "plain"),)
            line = Line(self.say(key, text=line.text), chips, line.tells)
        return self._delivered(record, id_, line)

    def _delivered(self, record: Round, id_: str, line: Line) -> Line:
        """The same, and whether its client still got what came out."""
        leaves = self.request(id_).cancel_at
        if id_ not in record.tokens or leaves is None or leaves >= record.end:
            return line
        key = "round.and_unheard_many" if record.tokens[id_] > 1 else "round.and_unheard"
        time = self.time(max(leaves, self.arrival(id_)))
        chip = "state.cancelled" if self._is_last(record, id_) else "chip.unsent"
        return self._with(chip, self.say(key, text=line.text, time=time))

    def _is_last(self, record: Round, id_: str) -> bool:
        """Whether its last token came out, in time or not."""
        return id_ in record.tokens and record.after[id_].emitted >= self.request(id_).output

    def _ending(self, record: Round, id_: str, text: str, key: str) -> Line:
        """The line of one whose last token is out; of one whose client had gone no more is said."""
        if id_ not in record.finished:
            return Line(text)
        return self._with("finished", self.say(key, text=text))

    @property
    def _is_static(self) -> bool:
        return self.setup.mode == "static"

    def _decode(self, record: Round, id_: str) -> Line:
        if record.given[id_] > 1:
            return self._drafts(record, id_)
        output, count = self.request(id_).output, record.after[id_].emitted
        if self._is_last(record, id_):
            key = f"round.decode_{'only' if output == 1 else 'last'}"
            if id_ not in record.finished:
                key += "_late"
            elif self._is_static and not self._ends(record):
                key += "_held"
            return self._with("finished", self.say(key, nth=self.ordinal(count)))
        if count == 1:
            return self._with("first", self.say("round.decode_first", output=output))
        return Line(self.say("round.decode", nth=self.ordinal(count), output=output))

    def _drafts(self, record: Round, id_: str) -> Line:
        """A decode that tries drafts: each one that is right is a token more."""
        drafts, tokens = record.given[id_] - 1, record.tokens[id_]
        right = {1: "none", 2: "one"}.get(tokens, "some")
        key = f"round.draft_{right}" if drafts == 1 else f"round.drafts_{right}"
        count = record.after[id_].emitted
        text = self.say(
            key,
            drafts=drafts,
            right=tokens - 1,
            tokens=tokens,
            count=count,
            output=self.request(id_).output,
        )
        if self._is_last(record, id_):
            return self._ending(record, id_, text, "round.drafts_end")
        return self._with("first", text) if count == tokens else Line(text)

    def _prefill(self, record: Round, id_: str) -> Line:
        n, request, after = record.given[id_], self.request(id_), record.after[id_]
        emitted = after.emitted - record.tokens.get(id_, 0)  # before this round
        left = request.prompt + emitted - after.computed + n
        if emitted:
            return self._again(record, id_, n, left)
        if n < left:
            return self._chunk(record, id_, n, left)
        if id_ not in record.tokens:
            key = "round.prefill_done_one" if n == 1 else "round.prefill_done"
            return Line(self.say(key, n=n))
        whole = n == request.prompt
        key = f"round.prefill_{'whole' if whole else 'last'}{'_one' if n == 1 else ''}"
        return self._first_output(record, id_, self.say(key, n=n))

    def _again(self, record: Round, id_: str, n: int, left: int) -> Line:
        """A prompt and what was sampled, computed again after an eviction."""
        if id_ not in record.tokens:
            text = self.say("round.again", n=n, left=left)
            reason = record.cut.get(id_)
            return self._because(reason, text) if reason else Line(text)
        nth = self.ordinal(record.after[id_].emitted)
        text = self.say("round.again_last", n=n, nth=nth, output=self.request(id_).output)
        if self._is_last(record, id_):
            return self._ending(record, id_, text, "round.and_done")
        return Line(text)

    def _first_output(self, record: Round, id_: str, text: str) -> Line:
        if self._is_last(record, id_):
            return self._ending(record, id_, text, "round.and_leaves")
        return self._with("first", text)

    def _chunk(self, record: Round, id_: str, n: int, left: int) -> Line:
        reason = record.cut.get(id_, Reason.BUDGET_SPENT)
        its = self.say("round.its" if left == self.request(id_).prompt else "round.its_last")
        if key := _LIMITS.get(reason):
            return self._because(reason, self.say(key, n=n, left=left, its=its))
        others = [other for other in record.given if other != id_]
        values = {"n": n, "left": left, "its": its, "budget": self.setup.budget}
        if record.positions < self.setup.budget:
            return self._because(reason, self.say("round.prefill_some", **values))
        if not others:
            return self._because(reason, self.say("round.prefill_alone", **values))
        used = sum(record.given[other] for other in others)
        text = self.say("round.prefill_cut", others=self.names(others), used=used, **values)
        return self._because(reason, text)

    def _static_prefill(self, record: Round, id_: str) -> Line:
        n, pad = record.given.get(id_, 0), record.pads.get(id_, 0)
        if not n:
            key = "round.padding_gone" if self._has_left(record, id_) else "round.padding"
            if pad == 1:
                key += "_one"
            return self._with("padding", self.say(key, pad=pad))
        first = id_ in record.tokens
        text = self.say("round.static_first" if first else "round.static_prefill", n=n)
        if pad:
            key = "round.and_padding_one" if pad == 1 else "round.and_padding"
            text = self.say(key, text=text, pad=pad)
        if first:
            return self._first_output(record, id_, text)
        return self._with("padding", text) if pad else Line(text)

    def _idle(self, record: Round, id_: str) -> Line:
        who = self._last_of_batch(record)
        key = "round.idle_gone" if self._has_left(record, id_) else "round.idle"
        if len(who) > 1:
            key += "_many"
        return self._with("idle", self.say(key, who=self.names(who)), "plan")

    # Those who get nothing.

    def _refused(self, record: Round, id_: str) -> Line:
        reason = record.reason(id_)
        if id_ in record.tokens:  # its static batch has just finished all prompts
            line = self._first_output(record, id_, self.say("round.static_first_held"))
            return self._delivered(record, id_, line)
        request, setup, last = self.request(id_), self.setup, self._last_of_batch(record)
        values = {
            "others": self.names(record.given),
            "budget": setup.budget,
            "seats": setup.seats,
            "prompt": request.prompt - request.cached,
            "free": setup.budget - record.positions,
            "head": record.queue[0].id if record.queue else "",
            "who": self.names(last),
            "needed": self._blocks_needed(id_),
            "unused": (setup.num_blocks or 0) - (record.used or 0),
        }
        return self._because(reason, self.say(self._why(record, id_, reason), **values))

    def _why(self, record: Round, id_: str, reason: Reason) -> str:
        """The sentence of a reason: where a reason has several, the one whose figures are true."""
        key, setup = f"round.{reason}", self.setup
        is_head = bool(record.queue) and record.queue[0].id == id_
        if reason is Reason.BUDGET_SPENT and record.positions < setup.budget:
            return "round.no_share"
        if reason is Reason.BUDGET_SPENT and setup.budget == 1:
            return f"{key}_one"
        if reason is Reason.BEHIND_HEAD and is_head:
            return "round.no_share"
        if reason is Reason.BATCH_CLOSED and len(self._last_of_batch(record)) > 1:
            return f"{key}_many"
        if reason is Reason.NO_SEAT and setup.seats == 1:
            return f"{key}_one"
        if reason is Reason.NO_BLOCKS and id_ in record.running:
            return f"{key}_running"
        if reason is Reason.NO_BLOCKS:
            unused = (setup.num_blocks or 0) - (record.used or 0)
            return key if self._blocks_needed(id_) > unused else f"{key}_few"
        if reason is Reason.WHOLE_PROMPT:
            request, free = self.request(id_), setup.budget - record.positions
            return key if request.prompt - request.cached > free else f"{key}_again"
        return key

    def _blocks_needed(self, id_: str) -> int:
        """Blocks that a request new here must find."""
        request, setup = self.request(id_), self.setup
        more = request.allowed_output - 1 if setup.reserve == "max_output" else 0
        return setup.blocks(request.prompt + more)

    def _arrives(self, record: Round, id_: str) -> Line:
        time = self.time(self.arrival(id_))
        leaves = self._patience(id_)
        if leaves is not None and leaves <= record.end:
            text = self.say("round.arrives_leaves", time=time, left=self.time(leaves))
            return self._with("not_arrived", text, "comes")
        if self._is_static and not self._ends(record):
            text = self.say("round.arrives_closed", time=time)
            return self._with("not_arrived", text, "comes")
        end = self.time(record.end)
        return self._with("not_arrived", self.say("round.arrives", time=time, end=end), "comes")

    def _patience(self, id_: str) -> int | None:
        """When a request would leave unserved; None when it waits as long as it takes."""
        arrival, leaves = self.arrival(id_), self.request(id_).cancel_at
        times = [] if leaves is None else [max(leaves, arrival)]
        if self.setup.queue_timeout is not None:
            times.append(arrival + self.setup.queue_timeout)
        return min(times, default=None)

    def _last_of_batch(self, record: Round) -> list[str]:
        """Members of the static batch with the most output still to come: all wait for them."""
        left = {
            i: self.request(i).output - record.after[i].emitted + record.tokens.get(i, 0)
            for i in record.running
        }
        most = max(left.values(), default=0)
        return [id_ for id_, tokens in left.items() if tokens == most]

    def _ends(self, record: Round) -> bool:
        """Whether the static batch is over with this round."""
        return all(self._is_last(record, id_) for id_ in record.running)
