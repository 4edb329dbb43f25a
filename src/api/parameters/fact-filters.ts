/** The filters of files by what is inside them; files that were not read for that match none. */
import type { HeaderText } from '../../catalogue/filter.ts'
import { flagNames } from '../../rinex/facts.ts'
import type { FilterParameter } from './filter-values.ts'
import { box, code, headerText, oneOf, share } from './filter-values.ts'
import { selection } from './parameter.ts'

/** A text of the header, whole and by its begin. @param of what completes "The text is" */
function texts(
  name: HeaderText,
  of: { readonly what: string; readonly example: string; readonly begin: string },
): Record<string, FilterParameter> {
  const { what, example, begin } = of
  const several = 'in upper or lower case; repeated for any of several'
  return {
    [name]: headerText(name, { meaning: `${what} in the header, ${several}.`, example }),
    [`${name}__startswith`]: headerText(`${name}Begins`, {
      meaning: `${what} in the header begins with this text, ${several}.`,
      example: begin,
    }),
  }
}

export const factFilters: Readonly<Record<string, FilterParameter>> = {
  flag: oneOf('flags', flagNames, {
    meaning:
      'A flag of the file: what is wrong with it by its content alone. Files that were not read yet have none.',
    example: 'short',
    field: { ...selection('Flag', flagNames, (flag) => flag), isRare: true },
  }),
  share__lt: share((shareBelow) => ({ shareBelow }), {
    meaning:
      'The file holds less than this share of the epochs that its name and interval promise. Files whose epochs are not counted do not match.',
    example: '0.95',
    field: { label: 'Share below', hint: '0.95', isRare: true },
  }),
  ...texts('rinex_version', {
    what: 'The version of the format',
    example: '3.04',
    begin: '3.',
  }),
  ...texts('receiver', {
    what: 'The type of the receiver',
    example: 'SEPT POLARX5',
    begin: 'SEPT',
  }),
  ...texts('antenna', {
    what: 'The type of the antenna, without its radome,',
    example: 'LEIAR25.R4',
    begin: 'LEIAR25',
  }),
  ...texts('radome', { what: 'The radome of the antenna', example: 'LEIT', begin: 'LEI' }),
  ...texts('firmware', { what: 'The firmware of the receiver', example: '5.4.0', begin: '5.' }),
  system: code('systems', /^[A-Za-z]$/, {
    fault: 'Enter the letters of satellite systems, such as G or E.',
    meaning:
      'A satellite system of the file, by its letter: `G` GPS, `R` GLONASS, `E` Galileo, `C` BeiDou, `J` QZSS, `I` NavIC, `S` SBAS.',
    example: 'E',
  }),
  signal: code('signals', /^[A-Za-z][A-Za-z0-9]{1,2}$/, {
    fault: 'Enter types of observation such as C1C or L2.',
    meaning:
      'A type of observation that the header names for any system: `C1C` of version 3 and 4, `L2` of version 2, `PR` of meteorological files.',
    example: 'C1C',
  }),
  bbox: box({ meaning: 'Only files whose header has a position', example: '9.5,46.3,17.2,49.1' }),
}
