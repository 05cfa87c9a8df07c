"""The record between deciding and doing: what one round gives to whom, and why not to others."""

from dataclasses import dataclass, field

from sim.sequence import Reason, Sequence
from sim.state import Batch


@dataclass(slots=True)
class Plan:
    """A round as planned. The same for every policy; built up while planning, then only read.

    `refused` says why a present request got nothing; of a long queue only the head is named, all
    others waiting share the reason `rest`. `cut` names who got less than it could use.
    """

    left: int  # of the budget
    used: int = 0  # KV blocks taken with this plan
    given: dict[Sequence, int] = field(default_factory=dict)  # positions, in the order given
    prefilling: set[Sequence] = field(default_factory=set)  # whose positions are prefill
    emits: list[Sequence] = field(default_factory=list)  # who samples a token at the end
    admitted: list[Sequence] = field(default_factory=list)  # for the first time or again
    preempted: list[Sequence] = field(default_factory=list)  # in the order of eviction
    rejected: list[Sequence] = field(default_factory=list)  # on_full reject: they found no block
    is_short: bool = False  # on_full queue: one that runs waits for a block
    refused: dict[Sequence, Reason] = field(default_factory=dict)
    cut: dict[Sequence, Reason] = field(default_factory=dict)
    rest: Reason = Reason.BEHIND_HEAD
    prefill: int = 0  # P: prompt positions, padding included
    decode: int = 0  # D: decodes, idle seats of a static batch included
    drafts: int = 0  # V: draft positions, counted apart from D
    kv_read: int = 0  # K: KV tokens read
    again: int = 0  # positions that only read a token again: they add none
    moved: int = 0  # KV blocks swapped out or in
    padding: int = 0
    idle: int = 0
    opens: Batch | None = None  # the static batch that begins with this round
    pads: dict[Sequence, int] = field(default_factory=dict)  # padding by row of a static batch

    @property
    def positions(self) -> int:
        """Positions of the budget in use: P, D and drafts."""
        return self.prefill + self.decode + self.drafts

    @property
    def is_idle(self) -> bool:
        """Whether nothing comes of it: no position, and nobody moves or leaves."""
        return not (self.positions or self.preempted or self.rejected)

    def give(self, seq: Sequence, n: int, prefill: bool) -> None:
        """Give `seq` n positions of what is left."""
        self.given[seq] = n
        self.left -= n
        self.kv_read += seq.computed
        self.again += seq.rereads
        if prefill:
            self.prefilling.add(seq)
            self.prefill += n
        else:
            self.decode += 1
            self.drafts += n - 1

    def take_back(self, seq: Sequence) -> None:
        """Undo `give`: the positions return to the budget."""
        n = self.given.pop(seq)
        self.left += n
        self.kv_read -= seq.computed
        self.again -= seq.rereads
        self.cut.pop(seq, None)
        if seq in self.emits:
            self.emits.remove(seq)
        if seq in self.prefilling:
            self.prefilling.discard(seq)
            self.prefill -= n
        else:
            self.decode -= 1
            self.drafts -= n - 1
