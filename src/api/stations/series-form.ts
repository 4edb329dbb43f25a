import { partial } from '../pages/layout.ts'
import { periods } from '../../insight/series.ts'
import { typeLabel } from '../pages/labels.ts'
import type { WireLatency } from './latency-formats.ts'
import { fileTypes } from './series-request.ts'

/** The form that chooses a series and a range; of availability and latency. */
partial(
  'series-form',
  `<form class="filter" method="get">
<input type="hidden" name="format" value="api">
<p><label>Type <select name="file_type"><% for (const each of it.form.types) { %><option value="<%= each.value %>"<% if (each.isChosen) { %> selected<% } %>><%= each.text %></option><% } %></select></label>
<label>Period <select name="period"><% for (const each of it.form.periods) { %><option<% if (each.isChosen) { %> selected<% } %>><%= each.text %></option><% } %></select></label>
<label>From <input type="date" name="from" value="<%= it.form.fromDay %>"></label>
<label>To <input type="date" name="to" value="<%= it.form.toDay %>"></label>
<button>Show</button></p>
</form>
<% if (it.form.ambiguous.length > 0) { %>
<p class="notice">The short code belongs to several stations: <% for (const code of it.form.ambiguous) { %><a href="../../<%= code %>/?format=api"><%= code %></a> <% } %></p>
<% } %>
`,
)

/** The data of the form. */
export function seriesForm(series: {
  readonly file_type: WireLatency['file_type']
  readonly period: WireLatency['period']
  readonly fromDay: string
  readonly toDay: string
  readonly ambiguous: readonly string[]
}) {
  const { file_type: chosenType, period, fromDay, toDay, ambiguous } = series
  return {
    types: fileTypes.map((value) => ({
      value,
      text: typeLabel(value),
      isChosen: value === chosenType,
    })),
    periods: periods.map((text) => ({ text, isChosen: text === period })),
    ...{ fromDay, toDay, ambiguous },
  }
}
