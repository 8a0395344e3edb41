import { foldText } from '@ugc/shared/search-text/fold-text';

/** The keys of a keyboard whose letters are on the same keys as those of `LAYOUTS`. */
const LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
/** What the keys type with the shift key. */
const SHIFTED: Readonly<Record<string, string>> = { '{': '[', '}': ']', ':': ';', '<': ',', '>': '.', '~': '`' };

/** Russian, Ukrainian, Greek, Hebrew, Arabic. A letter of `LATIN_KEYS` without a letter has a blank. */
const LAYOUTS = [
  'йцукенгшщзхъфывапролджэячсмитьбюё',
  'йцукенгшщзхїфівапролджєячсмитьбюґ',
  ' σερτυθιοπ  ασδφγηξκλ  ζχψωβνμ   ',
  '  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ ',
  'ضصثقفغعهخحجدشسيبلاتنمكطئءؤرﻻىةوزذ',
].map((letters) => [...letters].map((letter) => (letter === 'ﻻ' ? 'لا' : letter)));

const FROM_LATIN = LAYOUTS.map((letters) => new Map([...LATIN_KEYS].map((key, at) => [key, letters[at]?.trim() ?? ''])));
const TO_LATIN = LAYOUTS.map((letters) => new Map(letters.map((letter, at) => [letter, LATIN_KEYS.charAt(at)])));

/** Text with keys that have letters in other layouts only. */
export const LETTER_KEYS = /[[\]{};:'<>,.`~]/;
const OF_KEYS = /^[a-z[\]{};:'<>,.`~]*[a-z][a-z[\]{};:'<>,.`~]*$/;
/** Whether a text is in one script. */
const IN_ONE_SCRIPT = /^(?:[a-z]+(?:'[a-z]+)?|\p{sc=Cyrillic}+|\p{sc=Greek}+|\p{sc=Hebrew}+|\p{sc=Arabic}+)$/u;

/**
 * @param text in lower case, with its punctuation, on which many layouts have letters
 * @returns the words that the same keys write in another layout, such as `привет` for `ghbdtn`
 */
export function inOtherLayouts(text: string): string[] {
  const keys = [...text].map((key) => SHIFTED[key] ?? key);
  const layouts = (OF_KEYS.test(text) ? FROM_LATIN : TO_LATIN).filter((letters) => keys.every((key) => letters.has(key)));
  const words = layouts.map((letters) => foldText(keys.map((key) => letters.get(key) ?? '').join('')));
  return [...new Set(words)].filter((word) => IN_ONE_SCRIPT.test(word));
}

/** How the letters of one script are written in another, the most frequent way first; `=` without a way is not written. */
const RUSSIAN = `a=а b=б c=ц,к d=д e=е,э f=ф g=г h=х,г i=и,й j=й,ж,дж k=к l=л lu=лу,лю m=м n=н o=о p=п q=к r=р s=с t=т u=у v=в w=в x=кс,х
  y=ы,й,и z=з zh=ж kh=х ts=ц tz=ц ch=ч sh=ш shch=щ sch=щ,ш,сч scht=щ sht=щ,шт ya=я,ья ja=я ia=я,ия yu=ю,ью ju=ю iu=ю yo=е,ье jo=е
  ye=е,ье ie=ие,ье iy=ий yy=ый ij=ий iya=ия iia=ия ck=к ss=сс,с`;
const UKRAINIAN = `${RUSSIAN} h=г e=е g=г,ґ i=і,ї y=и,й ye=є,е ie=іє,є yi=ї ii=ії yy=ий iya=ія iia=ія ia=ія,я`;
const GREEK = `a=α b=μπ,β c=κ d=δ,ντ e=ε,αι f=φ g=γ,γκ h=χ,η i=ι,η,ει,υ,οι j=τζ k=κ l=λ m=μ n=ν o=ο,ω p=π r=ρ s=σ t=τ u=ου,υ v=β w=ω
  x=ξ,χ y=υ,ι,γ z=ζ th=θ ch=χ,τσ kh=χ ph=φ ps=ψ ks=ξ ou=ου ai=αι ei=ει oi=οι ts=τσ tz=τζ nt=ντ mp=μπ ng=γγ,γκ gk=γκ ef=ευ ev=ευ af=αυ
  av=αυ ss=σ,σσ ll=λλ,λ`;
const FROM_CYRILLIC = `а=a б=b в=v г=g,h ґ=g д=d е=e,ye,yo є=ye,ie ж=zh,j з=z и=i,y і=i ї=yi,i й=y,i,j к=k,c л=l м=m н=n о=o п=p р=r с=s
  т=t у=u,ou ф=f х=kh,h ц=ts,c ч=ch ш=sh щ=shch,sch ъ= ы=y,i ь= э=e ю=yu,iu,ju я=ya,ia,ja ий=iy,y,ii ый=y,yy ья=ya ье=ye`;
const FROM_GREEK = `α=a β=v,b γ=g,y δ=d ε=e ζ=z η=i,h θ=th ι=i κ=k,c λ=l μ=m ν=n ξ=x,ks ο=o π=p ρ=r σ=s τ=t υ=y,i,u φ=f,ph χ=ch,h,x,kh
  ψ=ps ω=o ου=ou,u μπ=b,mp ντ=d,nt γκ=g,gk γγ=ng,gg ευ=ev,ef αυ=av,af ει=i,ei οι=i,oi αι=e,ai`;

type Table = { letters: RegExp; ways: ReadonlyMap<string, string[]>; isSoft: boolean };

const TABLES = [
  tableOf(/^[a-z]+$/, RUSSIAN, true),
  tableOf(/^[a-z]+$/, UKRAINIAN, true),
  tableOf(/^[a-z]+$/, GREEK, false),
  tableOf(/^[а-яіїєґ]+$/, FROM_CYRILLIC, false),
  tableOf(/^[α-ω]+$/, FROM_GREEK, false),
];

function tableOf(letters: RegExp, ways: string, isSoft: boolean): Table {
  const entries = ways.split(/\s+/).map((entry) => entry.split('=') as [string, string]);
  return { letters, isSoft, ways: new Map(entries.map(([from, to]) => [from, to.split(',')])) };
}

const LENGTHS = { min: 3, max: 24 };
const MAX_LETTERS_AT_ONCE = 4;
const MAX_WAYS = 8;
/** Hardly any word has these after a consonant. */
const UNUSUAL = /[бвгґджзклмнпрстфхцчшщь][эйї]$/;

/** @returns the ways to write a folded word in another script, the most probable first: `пелмени`, `пельмени` … for `pelmeni` */
export function transliterated(word: string): string[] {
  if (word.length < LENGTHS.min || word.length > LENGTHS.max) return [];
  return TABLES.filter(({ letters }) => letters.test(word)).flatMap((table) => writeIn(word, table));
}

/** `cost`: how many letters are written in a less frequent way. */
type Written = { text: string; cost: number };

/** Keeps the most probable beginnings at each letter, so that the time grows with the length only. */
function writeIn(word: string, table: Table): string[] {
  const beginnings: Written[][] = Array.from({ length: word.length + 1 }, () => []);
  beginnings[0] = [{ text: '', cost: 0 }];
  for (let at = 0; at < word.length; at += 1) {
    const written = mostProbable(beginnings[at] ?? []);
    for (let length = 1; length <= MAX_LETTERS_AT_ONCE; length += 1) {
      const next = waysToWrite(word, at, length, table);
      beginnings[at + length]?.push(...written.flatMap((before) => next.map((after) => joined(before, after))));
    }
  }
  return mostProbable(beginnings[word.length] ?? []).map(({ text }) => text);
}

function joined(before: Written, after: Written): Written {
  return { text: before.text + after.text, cost: before.cost + after.cost };
}

function mostProbable(written: Written[]): Written[] {
  const chosen = new Map<string, Written>();
  for (const one of written.toSorted((a, b) => a.cost - b.cost)) {
    if (chosen.size === MAX_WAYS) break;
    if (!chosen.has(one.text) && !UNUSUAL.test(one.text)) chosen.set(one.text, one);
  }
  return [...chosen.values()];
}

const CONSONANT = /[bcdfghjklmnpqrstvwxz]/;
/** The soft sign is not written in Latin letters: "pelmeni", "gzhel". It is frequent after л, and at the end of a word. */
const SOFT_AFTER_L = 1;
const SOFT = 2;

function waysToWrite(word: string, at: number, length: number, { ways, isSoft }: Table): Written[] {
  const letters = word.slice(at, at + length);
  const written = (ways.get(letters) ?? []).map((text, cost): Written => ({ text, cost }));
  const next = word.charAt(at + length);
  const maybeSoft = isSoft && CONSONANT.test(letters.slice(-1)) && (next === '' || CONSONANT.test(next));
  if (!maybeSoft) return written;
  const cost = letters === 'l' || next === '' ? SOFT_AFTER_L : SOFT;
  return [...written, ...written.slice(0, 1).map((hard): Written => ({ text: `${hard.text}ь`, cost }))];
}
