import { area, circle, dots, each, line, oval, places, range, rect, turned, type Colours, type Scene } from '../shapes.ts';

const WOOD = '#c98f56';
const DARK_WOOD = '#8d5a2b';
const board = (x: number, y: number, width: number, height: number): string =>
  rect(x, y, width, height, WOOD, 2) + rect(x, y + height - 2, width, 2, DARK_WOOD);
const ball = (x: number, y: number, radius: number, fill: string): string =>
  circle(x, y, radius, fill) +
  line(
    `M${x - radius * 0.7} ${y - radius * 0.5}q${radius * 0.8} ${radius * 0.2} ${radius} ${radius * 1.3}M${x - radius * 0.2} ${y - radius * 0.9}q${radius * 0.9} ${radius * 0.5} ${radius * 0.9} ${radius * 1.4}M${x - radius * 0.9} ${y + radius * 0.1}q${radius * 0.6} ${radius * 0.1} ${radius * 0.8} ${radius * 0.7}`,
    '#ffffff99',
    2.4,
  );
const needles = (c: Colours): string => line('M38 18l62 62M112 18L50 80', c.dark, 3.5) + dots([[38, 18], [112, 18]], 4, c.dark); // prettier-ignore
const zigzag = (x: number, y: number, count: number): string => `M${x} ${y}${'l4-5 4 5'.repeat(count)}`;
const jumper = (fill: string, over: string): string =>
  area('M57 22h36l22 12 10 44-14 4-9-28v36H48V54l-9 28-14-4 10-44z', fill) + area('M62 22h26q-3 9-13 9t-13-9', '#00000033') + over;

export const CRAFT: Record<string, Scene> = {
  yarn: (c) => needles(c) + ball(75, 58, 27, c.a) + line('M98 74q16 14 32 4', c.a, 3),
  yarnbowl: (c) => ball(75, 42, 24, c.a) + area('M36 48h78q-2 40-39 40T36 48', '#f0f0ea') + line('M110 56q-18-4-18 8t12 8 6-10', c.dark, 2.4) + line('M92 64q20 14 42 6', c.a, 3), // prettier-ignore
  scarf: (c) =>
    area('M44 30q31-18 62 0l-4 18q-27-14-54 0z', c.a) + area('M44 30q10 24 22 28l-4 34H44l4-34q-10-10-4-28', c.a) + line('M48 62h16M47 70h16M46 78h16M46 86h16', c.light, 3) + area('M106 30q-10 22-22 27l10 24h20l-8-28q6-10 0-23', c.b), // prettier-ignore
  mittens: (c) =>
    places([[50, 50], [100, 50]], (x, y) => turned(x < 75 ? '' : `translate(${2 * x} 0) scale(-1 1)`, area(`M${x - 14} ${y + 20}v-36q0-18 14-18t14 18v6q10-8 13 0 0 8-13 16v14z`, c.a) + rect(x - 16, y + 20, 32, 14, c.light, 3) + line(`M${x} ${y - 22}v22M${x - 9} ${y - 16}l18 10M${x + 9} ${y - 16}l-18 10`, c.light, 2) + line(zigzag(x - 12, y + 14, 3), c.light, 2))), // prettier-ignore
  beanie: (c) => circle(75, 18, 9, c.light) + area('M40 66q-2-46 35-46t35 46z', c.a) + line('M58 62q0-26 10-38M75 62V24M92 62q0-26-10-38', '#00000033', 3) + rect(34, 62, 82, 18, c.b, 6) + line('M46 64v14M58 64v14M70 64v14M82 64v14M94 64v14M106 64v14', '#00000022', 3), // prettier-ignore
  hat: (c) => area('M50 56q2-34 25-34t25 34z', c.a) + area('M50 52q25 8 50 0l18 24q-43 16-86 0z', c.b) + line('M45 66q30 9 60 0M40 72q35 11 70 0', '#ffffff88', 1.6) + rect(49, 47, 52, 7, c.dark, 3), // prettier-ignore
  jumper: (c) => jumper(c.a, line(zigzag(50, 48, 6) + zigzag(50, 56, 6), c.light, 2.4) + dots([[55, 66], [65, 66], [75, 66], [85, 66], [95, 66]], 2, c.b)), // prettier-ignore
  stripedtop: (c) => jumper('#fffdf5', line('M50 44h50M49 52h52M49 60h52M49 68h52M49 76h52M49 84h52M30 50l12 4M27 60l12 4M25 70l11 4M120 50l-12 4M123 60l-12 4M125 70l-11 4', '#2b4a7d', 3.2) + line('M57 22h36l22 12M35 34l22-12', c.ground, 1)), // prettier-ignore
  raincoat: (c) => jumper('#f4c430', line('M75 31v58', '#b98a10', 2) + dots([[79, 42], [79, 56], [79, 70]], 2.6, c.dark) + area('M60 24q15-18 30 0-15 12-30 0', '#dba814')) + line('M20 20l-4 10M128 16l-4 10M14 50l-4 10M138 40l-4 10M34 8l-4 10', '#5b8db8', 2), // prettier-ignore
  sock: (c) =>
    area('M54 12h30v42q22 6 34 20 6 12-8 14-30 2-48-12-8-8-8-22z', c.a) + rect(52, 10, 34, 14, c.light, 3) + line('M54 34h30M54 42h30M54 50h30', c.light, 3) + area('M110 68q16 10 6 20-16 0-14-12z', c.light) + area('M54 58q2 14 14 20 2-12-6-20z', c.light), // prettier-ignore
  needle: (c) => rect(50, 20, 26, 8, WOOD, 2) + rect(50, 72, 26, 8, WOOD, 2) + rect(53, 28, 20, 44, c.a) + line('M53 34h20M53 40h20M53 46h20M53 52h20M53 58h20M53 64h20', '#ffffff66', 1.6) + line('M73 64q20 16 28-10t10-30', c.a, 2) + line('M94 84L114 18', '#6d7883', 3), // prettier-ignore
  hoop: (c) => circle(75, 54, 36, DARK_WOOD) + circle(75, 54, 32, c.light) + rect(70, 10, 10, 12, WOOD, 2) + line('M75 76q-2-22 0-32M75 62q-12-2-14-12M75 58q12-2 14-12', '#4f8a4f', 2.6) + dots([[75, 40], [61, 47], [89, 43]], 6, c.a) + dots([[75, 40], [61, 47], [89, 43]], 2.4, c.b) + line('M55 70l3 3m0-3l-3 3M92 68l3 3m0-3l-3 3', c.a, 2), // prettier-ignore
  quilt: (c) => each(range(20), (n) => rect(30 + (n % 5) * 18, 14 + Math.floor(n / 5) * 18, 17, 17, [c.a, c.light, c.b, c.ground][(n * 3 + Math.floor(n / 5)) % 4] ?? '') + line(`M${33 + (n % 5) * 18} ${22.5 + Math.floor(n / 5) * 18}h11`, '#ffffffaa', 1)), // prettier-ignore
  pouch: (c) => area('M52 34q-22 20-16 44 4 10 39 10t39-10q6-24-16-44z', c.a) + area('M48 20q27 8 54 0l-4 14q-23 8-46 0z', c.a) + line('M50 35q25 8 50 0', c.light, 3) + line('M100 35q16 2 14 16M100 35q20-4 22 8', c.light, 2.4) + rect(64, 52, 22, 22, c.light, 4) + dots([[70, 58], [80, 58], [75, 63], [70, 68], [80, 68]], 2.2, c.dark), // prettier-ignore
  bag: (c) =>
    line('M54 42q0-30 21-30t21 30', c.dark, 4) +
    area('M38 38h74l6 50H32z', '#efe3cb') +
    area('M36 54h78l1 10H35z', c.a) +
    area('M34 72h82l1 8H33z', c.b),
  jeans: (c) => area('M48 12h54l8 78H84l-9-50-9 50H40z', '#3f5f96') + rect(48, 12, 54, 8, '#2f4874') + line('M75 20v22', '#2f4874', 2) + rect(88, 50, 16, 16, '#7f9cc9', 1) + line('M90 54h12M90 58h12M90 62h12', '#fff', 1.4) + rect(46, 60, 14, 14, c.a, 1) + line('M48 64h10M48 68h10', '#fff', 1.4), // prettier-ignore
  apron: (c) => line('M56 22q19-24 38 0', c.dark, 3) + area('M56 22h38l4 24q16 4 16 12l-4 32H40l-4-32q0-8 16-12z', c.a) + rect(54, 56, 42, 22, c.light, 3) + line('M75 56v22', c.a, 2) + rect(84, 44, 4, 22, '#f2b84b') + area('M84 44h4l-2-6z', c.dark), // prettier-ignore
  loom: (c) => rect(28, 12, 7, 78, DARK_WOOD) + rect(115, 12, 7, 78, DARK_WOOD) + rect(24, 12, 102, 7, WOOD) + rect(24, 82, 102, 7, WOOD) + each(range(10), (n) => rect(40 + n * 7.6, 18, 1.6, 66, c.light)) + each([c.a, c.b, c.ground, c.a, c.dark, c.b], (fill, n) => rect(37, 76 - n * 6.4, 76, 5.6, fill, 2)), // prettier-ignore
  basket: (c) => line('M42 46q33-60 66 0', DARK_WOOD, 5) + area('M34 44h82l-10 44H44z', WOOD) + line('M37 54h76M39 64h72M41 74h68M43 83h64M50 45l4 42M64 45l2 42M78 45v42M92 45l-2 42', DARK_WOOD, 2) + rect(32, 40, 86, 8, c.b, 4), // prettier-ignore
  bundle: (c) => area('M34 52h82v36H34z', c.a) + area('M34 52q41-22 82 0-41 16-82 0', c.b) + area('M75 46q-30-34-40-18 4 14 40 18 30-34 40-18-4 14-40 18', c.b) + circle(75, 46, 7, c.light) + dots([[48, 70], [66, 76], [84, 70], [102, 76]], 4, c.light), // prettier-ignore
  tiles: (c) => each(range(6), (n) => { const [x, y] = [(n % 3) * 50, Math.floor(n / 3) * 50]; return rect(x + 1, y + 1, 48, 48, c.light) + circle(x + 25, y + 25, 18, c.a) + area(`M${x + 25} ${y + 10}l5 10 10 5-10 5-5 10-5-10-10-5 10-5z`, c.light); }), // prettier-ignore
  mosaic: (c) => rect(0, 0, 150, 100, c.light) + each(range(30), (n) => { const [ring, at] = [Math.floor(n / 10), n % 10]; return turned(`rotate(${at * 36 + ring * 18} 75 50)`, rect(86 + ring * 17, 46 - ring * 3, 15, 8 + ring * 6, [c.a, c.ground, c.b, c.dark][(ring + (at % 2)) % 4] ?? '', 1)); }) + circle(75, 50, 9, c.b), // prettier-ignore
  stool: (c) =>
    oval(75, 88, 44, 5, c.ground) +
    line('M56 42L44 86M94 42l12 44M75 44v44', DARK_WOOD, 6) +
    line('M51 66h48', WOOD, 4) +
    oval(75, 40, 36, 10, DARK_WOOD) +
    oval(75, 36, 36, 10, WOOD),
  steps: (c) =>
    line('M48 34L36 88M102 34l12 54', DARK_WOOD, 6) +
    board(42, 28, 66, 10) +
    board(34, 56, 82, 10) +
    line('M58 66v22M92 66v22', DARK_WOOD, 5) +
    line('M48 33h54', c.light, 1.2),
  bench: (c) => board(26, 48, 98, 10) + line('M36 58v30M114 58v30M36 76h78', DARK_WOOD, 6) + rect(36, 38, 26, 10, c.a, 4) + area('M78 44l16-6v10l-16 0zM110 44l-16-6v10z', c.light) + line('M26 24h98M34 24v24M116 24v24', DARK_WOOD, 4), // prettier-ignore
  workbench: (c) => board(24, 44, 102, 10) + line('M36 54v34M114 54v34M36 74h78', DARK_WOOD, 6) + rect(104, 54, 20, 10, '#7b8794', 2) + line('M110 54v22', '#5b6673', 3) + turned('rotate(-12 60 36)', rect(44, 34, 30, 7, '#7b8794', 2) + rect(56, 26, 8, 9, DARK_WOOD, 3)) + rect(86, 34, 4, 10, c.a) + rect(80, 30, 16, 6, c.dark, 1), // prettier-ignore
  shelf: (c) => board(30, 46, 90, 7) + board(30, 82, 90, 7) + line('M36 53v28M114 53v28', DARK_WOOD, 4) + circle(60, 34, 12, c.a) + area('M70 32l12-8v6l-10 10z', c.a) + rect(57, 18, 6, 6, c.a, 2) + area('M90 34h14l-2 12h-10z', c.light) + rect(46, 60, 8, 22, c.b) + rect(55, 64, 7, 18, c.dark) + rect(63, 62, 9, 20, c.a) + area('M90 70h14l-2 12h-10z', c.light), // prettier-ignore
  drawers: (c) => rect(34, 12, 82, 78, DARK_WOOD, 4) + each(range(9), (n) => rect(39 + (n % 3) * 25, 17 + Math.floor(n / 3) * 24, 22, 20, n % 4 === 1 ? c.a : n % 4 === 3 ? c.b : WOOD, 2) + rect(46 + (n % 3) * 25, 25 + Math.floor(n / 3) * 24, 8, 3, c.light, 1)), // prettier-ignore
  spices: (c) => board(24, 46, 102, 5) + board(24, 84, 102, 5) + places([[40, 24], [62, 24], [84, 24], [106, 24], [40, 62], [62, 62], [84, 62], [106, 62]], (x, y) => rect(x - 8, y, 16, 22, '#ffffffcc', 3) + rect(x - 8, y + 8, 16, 14, ['#c8202f', '#e0a02f', '#4f8a3f', '#8d5a2b'][(x + y) % 4] ?? '', 3) + rect(x - 7, y - 4, 14, 5, c.dark, 1)), // prettier-ignore
  crate: (c) => each([c.b, c.dark, c.a, c.light, c.ground], (fill, n) => rect(38 + n * 15, 24 + (n % 2) * 4, 12, 36, fill)) + board(28, 50, 94, 12) + board(28, 64, 94, 12) + board(28, 78, 94, 11) + rect(28, 50, 8, 39, DARK_WOOD) + rect(114, 50, 8, 39, DARK_WOOD) + turned('translate(0 -8)', circle(98, 26, 14, '#22262b') + circle(98, 26, 5, c.b)), // prettier-ignore
  boxes: (c) => rect(30, 46, 44, 42, WOOD) + rect(78, 54, 40, 34, '#b67d45') + rect(48, 16, 38, 30, '#d9a56c') + rect(49, 46, 6, 42, '#f3ddbb') + rect(95, 54, 6, 34, '#f3ddbb') + rect(64, 16, 6, 30, '#f3ddbb') + line('M108 54q6-30 18-34', '#4f8a3f', 3) + oval(126, 20, 6, 10, '#4f8a3f') + rect(100, 50, 14, 4, c.b), // prettier-ignore
  bracket: (c) => circle(50, 50, 26, c.a) + circle(50, 50, 15, c.back) + rect(70, 40, 40, 20, c.a, 4) + rect(104, 26, 16, 48, c.b, 4) + dots([[112, 34], [112, 66]], 3.4, c.dark) + dots([[82, 50], [94, 50]], 3, c.light) + line('M50 20v14M50 66v14M20 50h14', '#ffffff66', 2), // prettier-ignore
  gears: (c) => places([[54, 52], [102, 40]], (x, y) => { const [size, fill] = x < 75 ? [27, c.a] : [19, c.b]; return each(range(10), (n) => turned(`rotate(${n * 36 + (x < 75 ? 0 : 18)} ${x} ${y})`, rect(x - 4, y - size - 6, 8, 10, fill, 2))) + circle(x, y, size, fill) + circle(x, y, size / 2.6, c.back); }), // prettier-ignore
  dala: (c) => oval(75, 90, 40, 4, c.ground) + area('M46 88V60q-2-18 14-20h26q4-18 14-24l4-8 4 10q12 6 14 18l-8 6-10-4q4 18-2 24v26H90V72H60v16z', '#d1342c') + area('M56 44h34q6 12-2 22-16 6-30 0-8-10-2-22', '#3d6fb4') + line('M60 48q12 10 26 0M58 58q14 10 28 0', '#f7d774', 2.6) + circle(108, 24, 2, '#1c1c1c') + line('M92 30q6 8 4 20', '#f7d774', 2.6) + line('M46 62q-10 4-8 20', '#1c1c1c', 4), // prettier-ignore
  sledge: (c) => rect(0, 76, 150, 24, '#f4f8fb') + line('M24 82h92q14 0 14-14t-10-14', DARK_WOOD, 5) + line('M44 80V58M76 80V58M104 80V58', DARK_WOOD, 4) + board(30, 50, 84, 5) + board(30, 56, 84, 5) + line('M114 52q18-10 26-30', c.a, 3), // prettier-ignore
  lamp: (c) => oval(75, 88, 26, 5, c.dark) + rect(72, 52, 6, 36, DARK_WOOD) + area('M56 14h38l14 42H42z', c.a) + line('M62 15l-6 40M69 15l-3 41M75 15v41M81 15l3 41M88 15l6 40', '#ffffff77', 2.4) + area('M46 58h58l12 22H34z', '#fff3b055'), // prettier-ignore
  desklamp: (c) => rect(0, 0, 150, 100, '#2b3157') + area('M60 40l60 40H30z', '#fbe08a33') + rect(0, 80, 150, 20, '#6b4a37') + line('M110 80L92 50l-32-24', '#8d99a6', 4) + area('M44 34l22-18 10 22-24 8z', c.a) + circle(58, 42, 6, '#ffeb9c') + rect(98, 76, 26, 5, '#8d99a6', 2) + rect(46, 72, 34, 8, c.light, 1) + rect(34, 62, 9, 18, c.b, 2), // prettier-ignore
  candle: (c) => oval(75, 86, 34, 6, c.dark) + rect(48, 48, 20, 36, c.light, 3) + rect(76, 36, 20, 48, c.a, 3) + area('M58 20q10 12 8 18t-8 8-8-8 8-18', '#f6b26b') + area('M86 8q10 12 8 18t-8 8-8-8 8-18', '#f6b26b') + dots([[58, 39], [86, 27]], 3, '#fff6cf') + line('M48 58q6 6 0 14M96 46q-6 8 0 16', '#ffffffaa', 3), // prettier-ignore
  paperboat: (c) => rect(0, 66, 150, 34, '#6fb3d9') + area('M28 52h94l-20 26H48z', '#fffdf5') + area('M75 14l32 38H43z', '#fffdf5') + line('M75 14v38M43 52l32-12 32 12M48 78l27-24 27 24', '#c9d6df', 2) + line('M6 82q10-6 20 0M112 86q10-6 20 0M58 92q10-6 20 0', '#e5f3fb', 2.4) + circle(124, 26, 10, c.b), // prettier-ignore
  origami: (c) => area('M75 58L30 34l26 40z', c.a) + area('M75 58l46-34-22 46z', c.b) + area('M56 74l19-16 24 12-20 14z', c.light) + area('M99 70l22-40 8 4z', c.a) + area('M30 34l-14 16 22-2z', c.b) + line('M75 58l-19 16M75 58l24 12', '#00000022', 1.6), // prettier-ignore
  papercut: () => rect(0, 0, 150, 100, '#f7ead7') + circle(75, 50, 42, '#c3202b') + circle(75, 50, 37, '#f7ead7') + area('M52 70q-2-24 18-26 6-14 16-10l8-8 2 12q6 8-2 14-2 10-8 18h-8l2-10h-10l-2 10z', '#c3202b') + each(range(12), (n) => turned(`rotate(${n * 30} 75 50)`, area('M75 14l4 6-4 4-4-4z', '#c3202b'))) + dots([[90, 40]], 1.6, '#f7ead7'), // prettier-ignore
  lantern: () => rect(0, 0, 150, 100, '#1e2650') + circle(75, 54, 40, '#f6b26b33') + line('M75 4v12', '#d9b04a', 2) + area('M62 24q13-18 26 0z', '#d9b04a') + area('M56 28h38l8 30-14 24H62L48 58z', '#8a4b2a') + area('M60 32h12l-2 24H54zM78 32h12l6 24H80zM55 60h15l-2 18h-5zM80 60h15l-8 18h-5z', '#ffd36b') + rect(60, 82, 30, 5, '#d9b04a', 2) + area('M118 20a12 12 0 1 0 10 18 10 10 0 0 1-10-18', '#fff1c4'), // prettier-ignore
  soldering: (c) => rect(26, 34, 74, 54, '#2f7d4f', 4) + line('M34 48h20l8 10h14M34 66h12l10 12h26M80 42v12h12', '#a8d8a0', 2) + rect(58, 42, 16, 10, '#1f2a30', 1) + dots([[34, 48], [34, 66], [92, 54], [82, 78]], 3, '#e8c95a') + turned('rotate(38 100 30)', rect(96, -14, 11, 36, c.a, 4) + rect(98, 22, 7, 12, '#8d99a6') + area('M98 34h7l-3.500 14z', '#c3ccd5')) + line('M82 52q-6-8 0-14t-2-14', '#9aa7b3', 2), // prettier-ignore
  doorbell: (c) => rect(24, 14, 46, 32, '#27406b', 2) + line('M39.300 14v32M54.600 14v32M24 30h46', '#6f93c9', 1.6) + line('M47 46v14h30', c.dark, 3) + rect(78, 34, 40, 52, c.light, 6) + circle(98, 60, 12, c.a) + circle(98, 60, 7, '#ffe58a') + circle(126, 18, 9, '#f6c945') + line('M126 2v4M142 18h-4M137 7l-3 3M137 29l-3-3', '#f6c945', 2), // prettier-ignore
  radio: (c) => line('M108 30L128 6', c.dark, 3) + rect(26, 30, 98, 56, c.a, 8) + circle(56, 58, 20, c.dark) + circle(56, 58, 14, c.ground) + circle(56, 58, 4, c.dark) + rect(84, 40, 32, 14, c.light, 2) + line('M98 40v14', '#c8202f', 2) + line('M88 47h24', c.dark, 1) + dots([[92, 70], [108, 70]], 6, c.light), // prettier-ignore
  robot: (c) => line('M75 14V4', c.dark, 3) + circle(75, 5, 4, c.a) + rect(46, 14, 58, 28, '#b7c4cf', 8) + rect(44, 44, 62, 34, c.light, 3) + rect(34, 46, 9, 40, c.a, 4) + rect(107, 46, 9, 40, c.a, 4) + dots([[62, 28], [88, 28]], 6, c.dark) + dots([[63, 27], [89, 27]], 2, c.light) + rect(54, 52, 18, 8, c.a) + rect(78, 52, 18, 8, c.b) + rect(54, 66, 42, 4, c.ground) + rect(60, 78, 30, 10, '#8d99a6', 3), // prettier-ignore
  stamp: (c) => rect(60, 10, 30, 30, DARK_WOOD, 12) + rect(50, 38, 50, 14, WOOD, 3) + rect(46, 52, 58, 8, c.dark, 2) + rect(34, 68, 82, 22, c.light, 2) + turned('rotate(-6 75 80)', rect(58, 71, 34, 16, 'none') + line('M58 72h34v14h-34zM64 79h22', c.a, 2.4)), // prettier-ignore
  coasters: (c) => rect(24, 52, 56, 30, '#4b5560', 3) + rect(24, 48, 56, 28, '#68747f', 3) + line('M30 56l20 8M44 52l26 14', '#7f8b95', 1.6) + rect(74, 36, 52, 26, '#5a6570', 3) + rect(74, 32, 52, 24, '#7b8792', 3) + area('M86 16h24l-3 22H89z', c.b) + line('M110 20q8 0 7 6t-8 6', c.b, 3), // prettier-ignore
  kintsugi: (c) => oval(75, 88, 30, 4, c.ground) + area('M32 40h86q-2 44-43 44T32 40', '#3b5568') + oval(75, 40, 43, 9, '#54748a') + line('M50 41l8 14-8 10 14 16M58 55l20 4 10-12 12 6 6-12M78 59l4 24', '#f2c230', 2.600) + rect(60, 82, 30, 6, '#3b5568', 2), // prettier-ignore
  marbling: () => rect(0, 0, 150, 100, '#f3e3c7') + each(range(6), (n) => line(`M${n * 30 - 8} -5q24 18 4 36t6 36 2 40`, ['#2f7f86', '#d1495b', '#3d6fb4', '#edae49'][n % 4] ?? '', 11)) + each(range(6), (n) => turned(`rotate(${n * 60} 75 50)`, oval(75, 36, 8, 12, '#c8202f'))) + circle(75, 50, 7, '#f2c230'), // prettier-ignore
  starpattern: (c) => rect(0, 0, 150, 100, c.light) + places([[75, 50], [25, 50], [125, 50]], (x, y) => turned(`translate(${x} ${y})`, area('M-22-22h44v44h-44z', c.a) + turned('rotate(45)', area('M-22-22h44v44h-44z', c.a)) + turned('rotate(22.5)', area('M-13-13h26v26h-26z', c.light)) + turned('rotate(67.5)', area('M-13-13h26v26h-26z', c.light)) + circle(0, 0, 6, c.b))) + line('M50 0l0 24M50 76v24M100 0v24M100 76v24M50 24l-8 0M50 24l8 0', c.b, 2), // prettier-ignore
};
