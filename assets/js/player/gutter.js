// The gutter: what each row is, and how large the budget.

/** Row names at the left: requests, or seats and the queue; and the budget. */
function writeGutter(stage, ctx, lane) {
  const { layout, payload, say } = ctx;
  const isPhone = layout.size.name === "phone";
  if (lane.byRequest) writeRequests(stage, ctx, lane, lane.lane.requests ?? payload.requests);
  else writeSeats(stage, ctx, lane);
  if (!lane.strip) return;
  const hasTwoLines = layout.single && lane.strip >= layout.size.font * 2.4;
  const y = layout.single ? lane.stripY + 10 : lane.stripY + layout.size.font * 0.9;
  if (hasTwoLines) {
    label(stage, "rb-gutter", say("gutter_budget"), 0, y);
    const n = budgetText(lane);
    const amount = isPhone ? n : say("gutter_tokens", { n });
    label(stage, "rb-gutter", amount, 0, y + layout.size.font * 1.35, { color: "var(--rb-ink)" });
  } else if (!isPhone) {
    label(stage, "rb-gutter", say("gutter_budget_n", { n: budgetText(lane) }), 0, y);
  }
}

/** Chips of the requests' rows, and their lengths where all have room for them. */
function writeRequests(stage, { layout }, lane, requests) {
  if (lane.pitch < LEAST_PITCH) return;
  const lengths = requests.map(({ prompt, output }) => `${numberText(prompt)} → ${numberText(output)}`);
  const isRoomy = longest(lengths, 13) + 32 <= layout.gutter - 4;
  requests.forEach((request, row) => {
    if (request.absent) return;
    const name = h("span.rb-row-name", { style: { top: `${lane.rowCentre(row)}px` } }, chip(request));
    name.style.setProperty("--rb-pitch", `${lane.pitch}px`);
    if (isRoomy) name.append(h("span", { text: lengths[row] }));
    stage.parts.over.append(name);
  });
}

/** Names of the seats, and of the queue row above them. */
function writeSeats(stage, ctx, lane) {
  const { say, layout } = ctx;
  const isPhone = layout.size.name === "phone";
  const font = layout.size.font;
  const seatsY = Math.min(lane.rowsY + font * 0.67, lane.strip ? lane.stripY - font * 0.8 : Infinity);
  if (!isPhone && lane.hasQueue) {
    const middle = lane.queueY + lane.queue / 2;
    const y = lane.isNarrow ? Math.min(middle, seatsY - font * 1.25) : middle;
    label(stage, "rb-gutter", say("gutter_queue"), 0, y);
  }
  if (lane.isNarrow) {
    const isPart = lane.count < lane.lane.num_seats;
    const text = isPhone ? String(lane.count) : say(isPart ? "gutter_seats_part" : "gutter_seats", { n: lane.count });
    label(stage, "rb-gutter", text, 0, seatsY);
    return;
  }
  for (let row = 0; row < lane.count; row += 1) {
    const text = isPhone ? String(row + 1) : say("gutter_seat", { n: row + 1 });
    label(stage, "rb-gutter", text, 0, lane.rowCentre(row));
  }
}
