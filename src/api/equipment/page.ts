/** The HTML page of the equipment of a station: its stretches, the newest first. */
import { counted, readableNumber } from '../../runtime/readable.ts'
import type { Stretch } from '../../series/equipment.ts'
import { daysWords } from '../pages/date-words.ts'
import {
  antennaWords,
  changeWords,
  markerWords,
  positionWords,
  receiverWords,
  typesLinks,
} from '../pages/equipment-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page, PageFrame } from '../pages/layout.ts'
import { fetchCommand, fromHeader, getLine, ignoredNotice, link } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, table } from '../pages/table.ts'
import type { KnownStation } from '../stations/how-words.ts'
import { hrefOfDays } from '../stations/station-fields.ts'
import { shownCode, stationFrame } from '../stations/station-head.ts'
import type { StationEquipment } from './fields.ts'

interface EquipmentPage extends StationEquipment, Required<Pick<PageFrame, 'banner'>> {
  readonly known: readonly KnownStation[]
  readonly ignored: readonly string[]
  /** The URL of the station. */
  readonly url: string
}

export function renderEquipment(page: EquipmentPage): Page {
  const { station: code, codes, stretches, banner, ignored, url } = page
  const head = { ...page, code, tab: 'Equipment' } as const
  const formats = ['csv', 'json'].map((format) => ({
    text: format.toUpperCase(),
    href: `?format=${format}`,
  }))
  return {
    frame: stationFrame(head, {
      title: `Equipment of ${shownCode(head)}`,
      banner,
      json: '?format=json',
    }),
    body: html`${ignoredNotice(ignored)}
${getLine({ command: fetchCommand(`${url}equipment/?format=csv`), formats, what: 'it' })}
<p class="lead">${summary(stretches)}</p>
<p class="quiet">In the archive: ${typesLinks('../../../')}</p>
${stretches.length > 0 && table(stretchTable(stretches.toReversed(), codes))}
`,
  }
}

/** `5 changes in 3,204 days with files. 2 stretches are odd: …` */
function summary(stretches: readonly Stretch[]): string {
  const odd = stretches.filter(({ isOdd }) => isOdd).length
  const changes = stretches.length - odd - 1
  if (changes < 0) return 'No header of its observation files has been read.'
  const files = stretches.reduce((sum, each) => sum + each.files, 0)
  const days = counted(files, 'day with files', 'days with files')
  const first = `${changes === 0 ? 'No change' : counted(changes, 'change', 'changes')} in ${days}.`
  if (odd === 0) return first
  const wrong = odd === 1 ? '1 stretch is odd' : `${odd} stretches are odd`
  return `${first} ${wrong}: the headers before and after say something else.`
}

function stretchTable(stretches: readonly Stretch[], codes: readonly string[]): Table {
  const hrefOf = hrefOfDays({ api: '../../../' }, codes, [['file_type', 'o']])
  return {
    label: 'Equipment, the newest first',
    className: 'cards',
    columns: [
      headerColumn('Days'),
      { label: 'Files', isNumber: true },
      { label: 'What changed', isProse: true },
      { label: 'Receiver and antenna', isProse: true },
      { label: 'Marker and position', isProse: true },
    ],
    rows: stretches.map((stretch) => {
      const { fromDay, toDay, files, equipment } = stretch
      return [
        link(daysWords(fromDay, toDay), hrefOf(fromDay, toDay)),
        readableNumber(files),
        changeCell(stretch),
        twoLines(receiverWords(equipment.receiver), antennaWords(equipment.antenna)),
        twoLines(markerWords(equipment), positionWords(equipment.position)),
      ]
    }),
  }
}

function twoLines(first: string, second: string): Html {
  return html`${fromHeader(first)}<br>${fromHeader(second)}`
}

function changeCell(stretch: Stretch): Child {
  if (stretch.before === undefined) return html`<span class="quiet">the first files</span>`
  const phrases = changeWords(stretch).join('; ')
  return html`${stretch.isOdd && html`<b>odd</b>: `}${fromHeader(phrases)}`
}
