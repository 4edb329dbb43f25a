/** The HTML page of the alerts. */
import type { Alert } from '../../series/alerts.ts'
import { queryText } from '../http/links.ts'
import { renderCollection } from '../pages/collection.ts'
import type { CollectionPage, CollectionView } from '../pages/collection.ts'
import { readableTime } from '../pages/labels.ts'
import { seriesFields } from '../series/page.ts'
import { alertTitle, escaped } from './atom.ts'

export const alertsView: CollectionView<Alert, never> = {
  frame: { title: 'Alerts', section: 'network', up: '../' },
  noun: ['alert', 'alerts'],
  fields: seriesFields.filter(({ name }) => name !== 'period'),
  all: 'All alerts',
  caption: 'Times in UTC, (022) is the day of the year',
  columns: ['Alert', 'Nothing since', 'Opened'],
  row: (alert) => {
    const { kind, since, opened, series } = alert
    const { station = '', file_type: type, period } = series[0] ?? {}
    const isStalled = kind === 'ingest-stalled'
    const href = isStalled
      ? '../series/?state=late,down&format=api'
      : `../station/${station}/availability/?file_type=${type ?? ''}&period=${period ?? ''}&format=api`
    return [
      { text: alertTitle(alert), href, isHeader: true },
      isStalled ? '' : readableTime(since),
      readableTime(opened),
    ]
  },
}

export function renderAlerts(list: CollectionPage<Alert>, banner: readonly string[]): string {
  const atom = queryText([...list.kept, ['format', 'atom']])
  const below = `<p>All of these as an <a href="?${escaped(atom)}">Atom feed</a>.</p>`
  return renderCollection(alertsView, list, { below, banner })
}
