/** The HTML page of the files with problems. */
import type { CollectionView } from '../pages/collection.ts'
import { readableTime } from '../pages/labels.ts'
import { problemNames } from './problem-list.ts'
import type { WireProblem } from './problem-list.ts'

export const problemsView: CollectionView<WireProblem, never> = {
  frame: { title: 'Problems', section: 'status', up: '../../' },
  noun: ['problem', 'problems'],
  fields: [
    {
      name: 'problem',
      label: 'Problem',
      options: problemNames.map((value) => ({ value, text: value })),
    },
  ],
  all: 'All problems',
  caption: 'Paths below the archive root; times in UTC',
  className: 'files',
  // A phone shows only the first columns, and a path is as wide as its screen.
  columns: ['Problem', 'Reason', 'Path', 'Since'],
  row: ({ problem, path, reason, since }) => [
    problem,
    { text: reason, href: `../../docs/?format=api#reason-${reason}` },
    { text: path, isHeader: true, isCode: true },
    readableTime(since, 'second'),
  ],
}
